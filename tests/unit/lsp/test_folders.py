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


def _impossible(uri: str, path: str) -> Agent:
    raise PermissionError(13, "Permission denied", path)


async def test_an_agent_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    folders, told = _opened(_impossible, tmp_path)
    with pytest.raises(CommandError):
        await folders.find(None)
    assert len(told) == 1
    assert "Permission denied" in told[0]


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
