"""Salvage: what stands of a damaged session becomes a session of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.disk_golden import golden
from tests.support.faults import FaultyFiles, fails
from tests.support.log import session
from tests.support.wire import default_header
from tests.unit.store.sessions import (
    FILE_NAME,
    create_session,
    make_options,
    user_draft,
    whole_run,
    write_session,
)

from perdure.core.state import Run, SessionState
from perdure.errors import SessionCorrupt, SessionNotFound, StorageFull, UnsupportedVersion
from perdure.store._opening import open_log
from perdure.store._seal_file import seal_path
from perdure.store.catalog import Catalog
from perdure.store.follow import read_session
from perdure.store.jsonl import SessionStore
from perdure.store.options import system_options
from perdure.store.salvage import salvage

WHOLE = whole_run().to_bytes()
LINES = WHOLE.splitlines(keepends=True)


def damaged(number: int, change: Callable[[bytes], bytes]) -> bytes:
    lines = list(LINES)
    lines[number - 1] = change(lines[number - 1])
    return b"".join(lines)


CASES = [
    pytest.param(damaged(5, lambda line: b"#" + line[1:]), 4, id="bad JSON"),
    pytest.param(damaged(7, lambda line: line.replace(b"kind", b"\xff", 1)), 6, id="not UTF-8"),
    pytest.param(damaged(2, lambda line: b"\n"), 1, id="first fact"),
    pytest.param(damaged(10, lambda line: line[:-1]), 9, id="torn, not damaged"),
    pytest.param(WHOLE, 10, id="nothing wrong"),
]


@pytest.mark.hazard("offer to copy the valid prefix to a *new* session")
@pytest.mark.parametrize(("content", "good"), CASES)
def test_the_good_lines_are_copied_and_the_original_is_left_alone(
    tmp_path: Path, content: bytes, good: int
) -> None:
    path = write_session(tmp_path, session())
    path.write_bytes(content)
    saved = salvage(path, system_options())
    assert path.read_bytes() == content
    header, *facts = saved.path.read_bytes().splitlines(keepends=True)
    assert facts == LINES[1:good]
    assert header == LINES[0].replace(default_header()["id"].encode(), saved.session_id.encode())  # type: ignore[union-attr]
    assert saved.path.name == f"2023-11-14T22-13-20-000Z_{saved.session_id}.jsonl"
    assert saved.left_behind == len(content) - sum(map(len, LINES[:good]))
    opened = open_log(saved.path, make_options())
    opened.log.close()
    assert opened.ledger.state.next_seq - 1 == saved.facts
    assert opened.torn_tail is None


def test_the_copy_is_sealed_and_durable(tmp_path: Path) -> None:
    path = write_session(tmp_path, session().user("a").raw(b"damage"))
    files = FaultyFiles()
    saved = salvage(path, make_options(files))
    assert files.trace == ["create", "write", "sync", "sync_directory"]
    assert seal_path(saved.path).read_bytes().count(b'"durable":1') == 1
    assert Catalog(tmp_path).find(saved.session_id) == saved.path


@pytest.mark.asyncio
async def test_sealed_damage_ends_the_copy_before_it(tmp_path: Path) -> None:
    store = await create_session(tmp_path)
    for text in ("one", "two", "three"):
        await store.commit([user_draft(text)])
    await store.close()
    content = store.path.read_bytes().replace(b"two", b"TWO")
    store.path.write_bytes(content)
    saved = salvage(store.path, system_options())
    assert saved.facts == 1
    state = read_session(saved.path)
    assert isinstance(state, SessionState)
    assert [message["content"] for message in state.transcript] == ["one"]


@pytest.mark.asyncio
async def test_an_unfinished_operation_stays_unfinished_and_can_go_on(tmp_path: Path) -> None:
    log = session().prompt().attempt().raw(b"damage")
    saved = salvage(write_session(tmp_path, log), system_options())
    store = await SessionStore.open(saved.path, options=system_options())
    assert isinstance(store.state.operation, Run)
    assert store.state.header.environment_identity == "fixture"
    await store.close()


def test_without_a_header_there_is_nothing_to_copy(tmp_path: Path) -> None:
    path = write_session(tmp_path, session())
    for content, error in [
        (b"", SessionCorrupt),
        (b"garbage\n", SessionCorrupt),
        (session({**default_header(), "version": 3}).to_bytes(), UnsupportedVersion),
    ]:
        path.write_bytes(content)
        with pytest.raises(error):
            salvage(path, make_options())
    with pytest.raises(SessionNotFound):
        salvage(tmp_path / "none.jsonl", make_options())
    assert os.listdir(tmp_path) == [FILE_NAME]


def test_a_full_disk_leaves_no_half_copy(tmp_path: Path) -> None:
    path = write_session(tmp_path, session().user("a").raw(b"damage"))
    for fault in (fails("write", 1, 28), fails("write", 1, 28, file="seal")):
        with pytest.raises(StorageFull):
            salvage(path, make_options(FaultyFiles(fault)))
    assert os.listdir(tmp_path) == [FILE_NAME]


def test_a_golden_session_salvaged_from_any_damage(tmp_path: Path) -> None:
    whole = golden("compacted", "full")
    for number in range(2, len(whole.ends)):
        place = whole.ends[number - 1] + 20
        name = f"2026-01-02T03-04-05-678Z_{number:08}-0000-7000-8000-000000000000.jsonl"
        path = write_session(tmp_path / str(number), session(), name=name)
        path.write_bytes(whole.log[:place] + b"#" + whole.log[place + 1 :])
        seal_path(path).write_bytes(whole.seal)
        saved = salvage(path, system_options())
        assert saved.facts == whole.sidecar.seals[number - 1].through
