"""Folders whose agents cannot be made, started or closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.trivial_server import TrivialAgent

from perdure.agent.settings import Settings
from perdure.errors import CommandError, PerdureError, StorageFailed
from perdure.lsp.agents import Agent
from perdure.lsp.folders import Folders
from perdure.lsp.server import Server
from perdure.lsp.tasks import Tasks

pytestmark = pytest.mark.asyncio


class FailingAgent(TrivialAgent):
    """Neither starts nor closes."""

    error = StorageFailed("The disk is gone.")

    async def start(self) -> None:
        raise self.error

    async def close(self) -> None:
        raise self.error


def _opened(make_agent: Callable[[str, str], Agent], folder: Path) -> tuple[Folders, list[str]]:
    told: list[str] = []
    folders = Folders(
        make_agent=make_agent, tasks=Tasks(), tell=lambda level, text: told.append(text)
    )
    folders.open(folder.as_uri())
    return folders, told


def _failing(uri: str, path: str) -> Agent:
    return FailingAgent(
        folder_uri=uri,
        root=Path(path),
        settings=Settings(),
        host=Server(environ={}).host,
        environ={},
    )


def _trivial(uri: str, path: str) -> Agent:
    return TrivialAgent(
        folder_uri=uri,
        root=Path(path),
        settings=Settings(),
        host=Server(environ={}).host,
        environ={},
    )


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(13, "Permission denied"), "Permission denied"),
        (StorageFailed("The disk is gone."), "The disk is gone."),
        (RecursionError(), "the server's log says why"),
    ],
)
async def test_an_agent_that_cannot_be_made_is_told_and_the_next_folder_opens(
    tmp_path: Path, error: Exception, words: str
) -> None:
    def make(uri: str, path: str) -> Agent:
        if path == str(tmp_path):
            raise error
        return _trivial(uri, path)

    folders, told = _opened(make, tmp_path)
    assert len(told) == 1
    assert words in told[0]
    with pytest.raises(CommandError):
        await folders.find(None)
    (tmp_path / "next").mkdir()
    folders.open((tmp_path / "next").as_uri())
    assert (await folders.find(None)).uri == (tmp_path / "next").as_uri()
    await folders.close_all()


@pytest.mark.hazard("Open by symlink, then by real path: one identity")
async def test_two_uris_of_one_folder_lead_to_one_agent(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    folders, told = _opened(_trivial, link)
    folders.open(real.as_uri())
    folder = await folders.find(real.as_uri())
    assert await folders.find(link.as_uri()) is folder is await folders.find(None)
    await folders.close(link.as_uri())
    assert await folders.find(real.as_uri()) is folder
    with pytest.raises(CommandError):
        await folders.find(link.as_uri())
    await folders.close(real.as_uri())
    assert list(folders) == []
    assert told == []


async def test_an_agent_that_cannot_start_is_told_and_answers_with_its_error(
    tmp_path: Path,
) -> None:
    folders, told = _opened(_failing, tmp_path)
    for _ in range(2):
        with pytest.raises(PerdureError, match="The disk is gone"):
            await folders.find(None)
    assert told == [f"{tmp_path.as_uri()} could not be opened: The disk is gone."]
    await asyncio.wait_for(folders.close_all(), 5)


async def test_nothing_opens_after_the_end(tmp_path: Path) -> None:
    folders, _ = _opened(_failing, tmp_path)
    await folders.close_all()
    folders.open(tmp_path.as_uri())
    assert list(folders) == []
