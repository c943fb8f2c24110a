"""A fork is a legal session with the past of another one."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.faults import FaultyFiles, fails
from tests.support.log import Log, session
from tests.support.wire import default_header, uid
from tests.unit.store.sessions import make_options, whole_run, write_session

from perdure.core.facts import Header
from perdure.core.reducer import Reduced, reduce_session
from perdure.core.state import Idle
from perdure.errors import PerdureError, SessionNotFound, StorageFull
from perdure.store.fork import fork_session, origin_path
from perdure.store.jsonl import SessionStore

NEW = uid("session", 2)


def _header() -> Header:
    return Header(
        kind="header",
        version=2,
        id=NEW,
        createdAt=5,
        cwd="/elsewhere",
        provider="demo",
        model="other",
        environmentIdentity="elsewhere",
    )


def _prompts(log: Log) -> list[str]:
    """The ids of the user entries."""
    lines = [json.loads(line) for line in log.to_bytes().split(b"\n")[1:-1]]
    facts = [fact for line in lines for fact in (line if isinstance(line, list) else [line])]
    return [
        fact["id"]
        for fact in facts
        if fact.get("entry", {}).get("message", {}).get("role") == "user"
    ]


def _two_runs() -> Log:
    return whole_run().prompt("two").attempt().answer("ok").finish().prompt("three")


def _compacted() -> Log:
    log = whole_run().prompt("two").attempt().answer("ok").finish()
    return log.compact(keep=1).attempt().summary("short").finish().prompt("three")


@pytest.mark.parametrize("turn", [0, 1, 2])
@pytest.mark.parametrize("make_log", [_two_runs, _compacted])
def test_the_past_is_the_same_bytes_under_another_header(
    tmp_path: Path, turn: int, make_log: Callable[[], Log]
) -> None:
    log = make_log()
    origin = write_session(tmp_path, log)
    entry_id = _prompts(log)[turn]
    path = fork_session(origin, entry_id, header=_header(), options=make_options())
    header, *rest = path.read_bytes().split(b"\n")
    assert json.loads(header) == _header()
    lines = log.to_bytes().split(b"\n")[1:-1]
    number = next(i for i, line in enumerate(lines) if entry_id.encode() in line)
    assert rest == [*lines[:number], b""]
    reduced = reduce_session(path.read_bytes())
    assert isinstance(reduced, Reduced)
    assert isinstance(reduced.state.operation, Idle)
    assert json.loads(origin_path(path).read_bytes()) == {
        "session": origin.name,
        "beforeEntryId": entry_id,
    }
    assert origin.read_bytes() == log.to_bytes()
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.asyncio
async def test_a_fork_is_opened_and_written(tmp_path: Path) -> None:
    log = _two_runs()
    origin = write_session(tmp_path, log)
    path = fork_session(origin, _prompts(log)[1], header=_header(), options=make_options())
    store = await SessionStore.open(path, options=make_options())
    assert store.state.header.id == NEW
    message = {"role": "user", "content": "another way"}
    await store.commit([{"kind": "entry", "entry": {"type": "message", "message": message}}])  # type: ignore[typeddict-item]
    await store.close()
    assert isinstance(reduce_session(path.read_bytes()), Reduced)


def _assistant(log: Log) -> str:
    return log.latest.entry_id


def _inside(log: Log) -> str:
    """A user entry that another program put into an unfinished run."""
    log.user("meanwhile")
    return _prompts(log)[-1]


@pytest.mark.parametrize(
    ("choose", "code"),
    [
        (_assistant, "not_found"),
        (_inside, "invalid_params"),
        (lambda _: uid("entry", 999), "not_found"),
        (lambda _: default_header()["id"], "not_found"),
        (lambda _: "", "not_found"),
        (lambda _: "\ud800", "not_found"),
    ],
)
def test_what_cannot_be_forked(tmp_path: Path, choose: Callable[[Log], str], code: str) -> None:
    log = _two_runs().attempt()
    entry_id = choose(log)
    origin = write_session(tmp_path, log)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(PerdureError) as refused:
        fork_session(origin, entry_id, header=_header(), options=make_options())
    assert refused.value.code == code
    assert sorted(tmp_path.iterdir()) == before


def test_damage_before_the_turn_is_not_copied(tmp_path: Path) -> None:
    log = session().prompt("one").attempt().answer("ok").finish().prompt("two")
    origin = write_session(tmp_path, log)
    data = origin.read_bytes().replace(b'"ok"', b'"ok')
    origin.write_bytes(data)
    with pytest.raises(PerdureError) as refused:
        fork_session(origin, _prompts(log)[1], header=_header(), options=make_options())
    assert refused.value.code == "session_corrupt"
    assert list(tmp_path.iterdir()) == [origin]


def test_without_a_turn_the_whole_past_is_taken(tmp_path: Path) -> None:
    origin = write_session(tmp_path, whole_run().tail(b"torn"))
    path = fork_session(origin, None, header=_header(), options=make_options())
    _, *past = whole_run().to_bytes().split(b"\n")
    assert path.read_bytes().split(b"\n")[1:] == past
    assert json.loads(origin_path(path).read_bytes()) == {"session": origin.name}


@pytest.mark.parametrize("damage", [b'"ok', b'"\xff"'], ids=["no JSON", "no UTF-8"])
def test_a_turn_in_a_line_that_cannot_be_read_is_not_there(tmp_path: Path, damage: bytes) -> None:
    log = session().prompt("one").attempt().answer("ok").finish().prompt("two")
    origin = write_session(tmp_path, log)
    origin.write_bytes(origin.read_bytes().replace(b'"two"', damage))
    with pytest.raises(SessionNotFound, match="has no prompt"):
        fork_session(origin, _prompts(log)[1], header=_header(), options=make_options())


@pytest.mark.parametrize("file", [1, 2], ids=["where it comes from", "the session"])
def test_a_full_disk_leaves_no_new_session(tmp_path: Path, file: int) -> None:
    log = _two_runs()
    origin = write_session(tmp_path, log)
    options = make_options(FaultyFiles(fails("write", file, errno.ENOSPC)))
    with pytest.raises(StorageFull, match="could not be forked"):
        fork_session(origin, _prompts(log)[1], header=_header(), options=options)
    assert list(tmp_path.glob("*.jsonl")) == [origin]
