"""Where the store's directories are none, or something else is in the place of its files."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.log import session
from tests.unit.store.sessions import (
    FILE_NAME,
    SESSION_ID,
    create_session,
    make_options,
    user_draft,
    write_session,
)

from perdure.core.state import SessionState
from perdure.errors import StorageFailed, StoreError
from perdure.store.catalog import Catalog
from perdure.store.follow import read_session
from perdure.store.jsonl import SessionStore
from perdure.store.places import locate_workspace, prepare_workspace
from perdure.store.queue_file import QueueFile, peek_queue
from perdure.store.takeover import Request, ask, is_held, pending, withdraw
from perdure.store.titles import read_title, write_title

OPTIONS = make_options()
SIDECARS = (".title", ".queue.json", ".seal", ".owner", ".takeover", f".takeover-{os.getpid()}")


def _list(state: Path, folder: Path) -> object:
    return Catalog(locate_workspace(folder, state=state).sessions).list()


def _find(state: Path, folder: Path) -> object:
    return Catalog(locate_workspace(folder, state=state).sessions).find(SESSION_ID)


def _prepare(state: Path, folder: Path) -> None:
    prepare_workspace(OPTIONS.files, locate_workspace(folder, state=state))


def _create(state: Path, folder: Path) -> object:
    return asyncio.run(create_session(locate_workspace(folder, state=state).directory))


def _a_file(state: Path) -> Path:
    state.write_text("x\n")
    return state


def _a_circle_of_links(state: Path) -> Path:
    state.symlink_to(state)
    return state


def _a_name_too_long(state: Path) -> Path:
    return state.with_name("x" * 300)


@pytest.mark.parametrize("make", [_a_file, _a_circle_of_links, _a_name_too_long])
@pytest.mark.parametrize("act", [_list, _find, _prepare, _create])
def test_a_state_directory_that_is_none(
    tmp_path: Path, act: Callable[[Path, Path], object], make: Callable[[Path], Path]
) -> None:
    state = make(tmp_path / "state")
    with pytest.raises(StorageFailed, match=r"(read|made|created): .*\.$"):
        act(state, tmp_path)


def test_a_folder_that_is_gone_gets_no_sessions(tmp_path: Path) -> None:
    workspace = locate_workspace(tmp_path / "gone", state=tmp_path / "state")
    with pytest.raises(StorageFailed, match=r"folder .*/gone is not there any more"):
        prepare_workspace(OPTIONS.files, workspace)
    assert list(tmp_path.iterdir()) == []


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_link(path: Path) -> None:
    target = path.with_name("elsewhere")
    target.write_text('{"version": 1, "items": []}')
    path.symlink_to(target)


@pytest.mark.parametrize("suffix", SIDECARS, ids=lambda suffix: suffix.rstrip("0123456789"))
@pytest.mark.parametrize("make", [make_fifo, make_link, Path.mkdir])
def test_nothing_waits_for_what_is_no_regular_file(
    tmp_path: Path, suffix: str, make: Callable[[Path], None]
) -> None:
    """Each is read as absent or refused with a sentence; what a link leads to stays as it is."""
    path = write_session(tmp_path, session().user("a"))
    make(path.with_suffix(suffix))
    assert [summary.path for summary in Catalog(tmp_path).list()] == [path]
    assert read_title(path) == ""
    assert peek_queue(path) == ()
    assert pending(path, now=0) is None
    assert is_held(OPTIONS.files, path) is False
    for act in (_read, _read_queue, _ask, _write_title, _open):
        with suppress(StoreError):
            act(path)
    if make is make_link:
        assert path.with_name("elsewhere").read_text() == '{"version": 1, "items": []}'


def test_a_log_that_is_a_fifo_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / FILE_NAME)
    with pytest.raises(StoreError, match="not a regular file"):
        _open(tmp_path / FILE_NAME)


def _read(path: Path) -> None:
    assert isinstance(read_session(path), SessionState)


def _read_queue(path: Path) -> None:
    QueueFile(path, OPTIONS).read()


def _ask(path: Path) -> None:
    request = Request(os.getpid(), 0)
    ask(path, request)
    withdraw(path, request)


def _write_title(path: Path) -> None:
    write_title(path, "A title", OPTIONS)


def _open(path: Path) -> None:
    async def write() -> None:
        store = await SessionStore.open(path, options=OPTIONS)
        await store.commit([user_draft()])
        await store.close()

    asyncio.run(write())
