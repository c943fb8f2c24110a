"""Rules for our own commits (session-format section 13), judged by the real reducer first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.support.log import CallSpec, Log, session
from tests.unit.store.sessions import drafts_of, open_session

from perdure.errors import RejectedTransaction

BASH: CallSpec = ("bash", {"command": "make"})
READ: CallSpec = ("read", {"path": "a"})
Written: TypeAlias = Callable[[], Log]
Continued: TypeAlias = Callable[[Log], Log]


def accepted() -> Log:
    return session().prompt()


def running() -> Log:
    return accepted().attempt()


def calling() -> Log:
    return running().calls(BASH, READ)


def working() -> Log:
    return calling().started(0)


def compacting() -> Log:
    log = session()
    for _ in range(4):
        log.prompt().attempt().answer("done").finish()
    return log.compact(keep=2).attempt()


REFUSED: list[tuple[str, str, Written, Continued]] = [
    ("answer", "ABORT_REQUESTED", lambda: running().abort(), lambda log: log.answer("late")),
    ("calls", "ABORT_REQUESTED", lambda: running().abort(), lambda log: log.calls(BASH)),
    ("second attempt", "ABORT_REQUESTED", lambda: running().abort(), lambda log: log.retry()),
    (
        "first attempt",
        "ABORT_REQUESTED",
        lambda: session().prompt().abort(),
        lambda log: log.attempt(),
    ),
    ("tool", "ABORT_REQUESTED", lambda: calling().abort(), lambda log: log.started(0)),
    ("success", "ABORT_REQUESTED", lambda: working().abort(), lambda log: log.result(0)),
    (
        "error",
        "ABORT_REQUESTED",
        lambda: working().abort(),
        lambda log: log.result(0, kind="error"),
    ),
    (
        "summary",
        "ABORT_REQUESTED",
        lambda: compacting().abort("compact"),
        lambda log: log.summary(),
    ),
    (
        "completed",
        "ABORT_REQUESTED",
        lambda: running().answer("done").abort(),
        lambda log: log.finish(),
    ),
    (
        "failed",
        "ABORT_REQUESTED",
        lambda: running().failed().abort(),
        lambda log: log.finish("failed"),
    ),
    (
        "aborted, a call open",
        "UNANSWERED_CALLS",
        lambda: calling().abort().synthetic(0, "aborted"),
        lambda log: log.finish("aborted"),
    ),
    (
        "truncated, a call open",
        "UNANSWERED_CALLS",
        lambda: running().answer(None, READ, stop="length"),
        lambda log: log.finish(),
    ),
    (
        "failed, a call open",
        "UNANSWERED_CALLS",
        calling,
        lambda log: log.finish("failed"),
    ),
    (
        "failed, a tool running",
        "UNANSWERED_CALLS",
        lambda: working().synthetic(1, "unknownTool"),
        lambda log: log.finish("failed"),
    ),
    (
        "next step, a call open",
        "UNANSWERED_CALLS",
        lambda: calling().synthetic(0, "unknownTool"),
        lambda log: log.attempt(),
    ),
    ("failed, a request open", "OPEN_ATTEMPT", running, lambda log: log.finish("failed")),
]

ADMITTED: list[tuple[str, int, Written, Continued]] = [
    ("usage after abort", 1, lambda: running().abort(), lambda log: log.usage()),
    ("stepFailed after abort", 1, lambda: running().abort(), lambda log: log.failed()),
    ("user entry after abort", 1, lambda: running().abort(), lambda log: log.user("more")),
    ("aborted", 1, lambda: running().abort().failed(), lambda log: log.finish("aborted")),
    ("interrupted", 1, lambda: working().abort(), lambda log: log.interrupted(0)),
    ("not started", 1, lambda: calling().abort(), lambda log: log.synthetic(0, "aborted")),
    (
        "abort with all that closes it",
        5,
        working,
        lambda log: (
            log.abort("tool", call=0)
            .interrupted(0)
            .synthetic(1, "aborted")
            .usage()
            .finish("aborted")
        ),
    ),
    (
        "answer and terminal",
        3,
        running,
        lambda log: log.answer("done").usage().finish(),
    ),
    ("failure and terminal", 2, running, lambda log: log.failed().finish("failed")),
    ("refused approval", 2, calling, lambda log: log.started(0).result(0, "no", kind="error")),
    ("summary and terminal", 3, compacting, lambda log: log.usage().summary().finish()),
    (
        "truncated calls closed with the terminal",
        2,
        lambda: running().answer(None, READ, stop="length"),
        lambda log: log.synthetic(0, "truncated").finish(),
    ),
    (
        "the next run after an abort",
        1,
        lambda: running().abort().failed().finish("aborted"),
        lambda log: log.prompt("again"),
    ),
]


def by_name(cases: Sequence[tuple[str, object, Written, Continued]]) -> list[object]:
    return [pytest.param(*case[1:], id=case[0]) for case in cases]


@pytest.mark.requirement(110)
@pytest.mark.asyncio
@pytest.mark.parametrize(("code", "written", "candidate"), by_name(REFUSED))
async def test_a_commit_is_refused_and_nothing_changes(
    tmp_path: Path, code: str, written: Written, candidate: Continued
) -> None:
    log = written()
    store = await open_session(tmp_path, log)
    before = store.state
    with pytest.raises(RejectedTransaction) as caught:
        await store.commit(drafts_of(candidate(log)))
    assert caught.value.code == code
    assert caught.value.seq == before.next_seq
    assert store.state == before
    assert store.path.read_bytes() == written().to_bytes()
    await store.close()


@pytest.mark.asyncio
@pytest.mark.parametrize(("lines", "written", "candidate"), by_name(ADMITTED))
async def test_a_commit_is_admitted(
    tmp_path: Path, lines: int, written: Written, candidate: Continued
) -> None:
    log = written()
    store = await open_session(tmp_path, log)
    facts = await store.commit(drafts_of(candidate(log), lines=lines))
    assert store.state.next_seq == facts[-1]["seq"] + 1 == log.seq + 1
    await store.close()
