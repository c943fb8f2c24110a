"""Session files and stores for the tests of the store."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from tests.support.log import Log, session
from tests.support.wire import START, uid

from perdure.core.facts import Draft, Fact
from perdure.json_types import JsonValue
from perdure.store._fs import Files, SystemFiles
from perdure.store._uuid7 import Uuid7
from perdure.store.jsonl import SessionStore
from perdure.store.levels import Level
from perdure.store.options import StoreOptions

SESSION_ID = uid("session", 1)
FILE_NAME = f"2026-01-02T03-04-05-678Z_{SESSION_ID}.jsonl"


class Clock:
    """Ms since the epoch, set by the test."""

    def __init__(self, now: int = START + 1_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


def make_options(
    files: Files | None = None, *, level: Level = "process", clock: Clock | None = None
) -> StoreOptions:
    """Return options whose ids and times are the same in every run."""
    now = clock or Clock()
    return StoreOptions(
        files=files or SystemFiles(),
        now=now,
        new_id=Uuid7(now=now, random_bits=lambda bits: bits),
        level=level,
    )


def write_session(directory: Path, log: Log, *, name: str = FILE_NAME) -> Path:
    """Write the file of ``log``."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = directory / name
    path.write_bytes(log.to_bytes())
    path.chmod(0o600)
    return path


async def open_session(
    directory: Path, log: Log, options: StoreOptions | None = None
) -> SessionStore:
    """Write the file of ``log`` and open it."""
    return await SessionStore.open(write_session(directory, log), options=options or make_options())


async def create_session(directory: Path, options: StoreOptions | None = None) -> SessionStore:
    """Create an empty session."""
    return await SessionStore.create(
        directory / "sessions",
        cwd="/workspace",
        provider="demo",
        model="test/model",
        environment_identity="fixture",
        options=options or make_options(),
    )


async def begun_each(
    store: SessionStore, *transactions: Sequence[Draft]
) -> list[asyncio.Task[tuple[Fact, ...]]]:
    """Begin to commit, each when the one before it has been handed to the thread that writes."""
    commits = []
    for drafts in transactions:
        commits.append(asyncio.create_task(store.commit(drafts)))
        for _ in range(2):  # the commit begins in one turn of the loop and is handed over in one
            await asyncio.sleep(0)
    return commits


def drafts_of(log: Log, *, lines: int = 1) -> list[Draft]:
    """Return the facts of the last lines as one transaction; their ids stay."""
    facts: list[JsonValue | bytes] = []
    for line in log.lines[-lines:]:
        facts.extend(line if isinstance(line, list) else [line])
    return [_draft(fact) for fact in facts]


def transactions_of(log: Log) -> list[list[Draft]]:
    """Return every line after the header as a transaction."""
    return [
        [_draft(fact) for fact in (line if isinstance(line, list) else [line])]
        for line in log.lines[1:]
    ]


def user_draft(text: str = "hello") -> Draft:
    """Return a prompt that starts nothing."""
    return {
        "kind": "entry",
        "entry": {"type": "message", "message": {"role": "user", "content": text}},
    }


def whole_run() -> Log:
    """Return a finished run with two tools and text that a careless reader would split."""
    return (
        session()
        .prompt()
        .attempt()
        .calls(("bash", {"command": "ls"}), ("read", {"path": "a"}))
        .usage()
        .joined()
        .started(0)
        .result(0, "a\u2028b\u2029c\x85d\ve\ff\x1cg 🙂")
        .started(1)
        .result(1)
        .attempt()
        .answer("done")
        .usage()
        .finish()
        .joined(3)
    )


def _draft(fact: JsonValue | bytes) -> Draft:
    assert isinstance(fact, dict)
    rest = {key: value for key, value in fact.items() if key not in ("seq", "timestamp")}
    return cast("Draft", rest)
