"""The request beside a session that asks its holder to let go."""

from __future__ import annotations

from pathlib import Path

import pytest

from perdure.errors import StorageFailed
from perdure.store._fs import SystemFiles
from perdure.store.lock import acquire
from perdure.store.takeover import PATIENCE_MS, Request, ask, is_held, pending, withdraw

FILES = SystemFiles()
ASKED_AT = 1_000_000
FIRST = Request(11, ASKED_AT)
SECOND = Request(12, ASKED_AT + 1)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A session file in a folder of its own."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"x\n")
    return path


@pytest.mark.parametrize(
    ("after_ms", "expected"),
    [(0, FIRST), (PATIENCE_MS, FIRST), (PATIENCE_MS + 1, None), (-1, None)],
)
def test_a_request_is_void_when_nobody_waits(
    session: Path, after_ms: int, expected: Request | None
) -> None:
    ask(session, FIRST)
    assert pending(session, now=ASKED_AT + after_ms) == expected


def test_the_last_request_counts(session: Path) -> None:
    ask(session, FIRST)
    ask(session, SECOND)
    assert pending(session, now=ASKED_AT + 1) == SECOND
    withdraw(session, FIRST)
    assert pending(session, now=ASKED_AT + 1) == SECOND
    withdraw(session, SECOND)
    withdraw(session, SECOND)
    assert [path.name for path in session.parent.iterdir()] == ["s.jsonl"]


def test_a_request_is_private_and_whole(session: Path) -> None:
    ask(session, FIRST)
    file = session.with_suffix(".takeover")
    assert file.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in session.parent.iterdir()) == ["s.jsonl", "s.takeover"]


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"[]", b"1", b'{"pid": 11}', b'{"pid": "11", "askedAt": 1000000}']
)
def test_what_is_no_request_is_ignored(session: Path, content: bytes) -> None:
    session.with_suffix(".takeover").write_bytes(content)
    assert pending(session, now=ASKED_AT) is None


def test_a_request_that_cannot_be_left(session: Path) -> None:
    session.with_suffix(".takeover").mkdir()
    with pytest.raises(StorageFailed, match="could not be left"):
        ask(session, FIRST)
    assert sorted(path.name for path in session.parent.iterdir()) == ["s.jsonl", "s.takeover"]


def test_the_kernel_says_whether_a_session_is_held(session: Path) -> None:
    assert not is_held(FILES, session)
    lock = acquire(FILES, FILES.open(session), session, now=lambda: ASKED_AT)
    assert is_held(FILES, session)
    lock.release()
    assert not is_held(FILES, session)
    assert session.read_bytes() == b"x\n"
