"""Deleting moves a session and all that lies beside it, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.log import session
from tests.support.wire import default_header, uid
from tests.unit.store.sessions import make_options, write_session

from perdure.errors import SessionInUse, SessionNotFound, StorageFailed
from perdure.store.catalog import Catalog
from perdure.store.jsonl import SessionStore
from perdure.store.trash import move_to_trash

BESIDE = ("seal", "title", "queue.json", "queue.damaged-12345678", "torn-5-12345678", "snapshot")


def _session(directory: Path, number: int) -> Path:
    log = session(default_header() | {"id": uid("session", number)}).prompt("hello")
    path = write_session(directory, log, name=f"2026_{uid('session', number)}.jsonl")
    for suffix in BESIDE:
        path.with_suffix(f".{suffix}").write_text(suffix)
    output = path.with_suffix(".d") / "tool-output"
    output.mkdir(parents=True)
    (output / "1.txt").write_text("output")
    return path


def _tree(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}


def test_everything_of_the_session_moves_and_nothing_of_another(tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    going, staying = _session(sessions, 1), _session(sessions, 2)
    own = {name for name in _tree(sessions) if name.startswith(going.stem)}
    others = _tree(sessions) - own
    folder = move_to_trash(going, make_options())
    assert folder == tmp_path / "trash" / going.stem
    assert _tree(folder) == own
    assert _tree(sessions) == others
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [summary.path for summary in Catalog(sessions).list()] == [staying]
    with pytest.raises(SessionNotFound):
        move_to_trash(going, make_options())


@pytest.mark.asyncio
async def test_a_session_in_use_stays(tmp_path: Path) -> None:
    path = _session(tmp_path / "sessions", 1)
    path.with_suffix(".seal").unlink()
    store = await SessionStore.open(path, options=make_options())
    before = _tree(tmp_path)
    with pytest.raises(SessionInUse):
        move_to_trash(path, make_options())
    assert _tree(tmp_path) == before
    await store.close()


def test_what_stopped_on_the_way_is_finished_by_deleting_again(tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    path = _session(sessions, 1)
    own = _tree(sessions)
    obstacle = tmp_path / "trash" / path.stem / path.name
    obstacle.mkdir(parents=True)
    with pytest.raises(StorageFailed):
        move_to_trash(path, make_options())
    assert [summary.path for summary in Catalog(sessions).list()] == [path]
    assert _tree(sessions) == {path.name}
    obstacle.rmdir()
    move_to_trash(path, make_options())
    assert _tree(tmp_path / "trash" / path.stem) == own
