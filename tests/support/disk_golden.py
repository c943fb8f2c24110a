"""Golden sessions: whole lives of sessions as a real store writes them, with their sidecars."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.support.log import Log, session
from tests.unit.store.sessions import create_session, make_options, transactions_of, whole_run

from perdure.core.facts import Fact
from perdure.core.reducer.ledger import Ledger
from perdure.core.reducer.session import load_ledger
from perdure.core.state import SessionState
from perdure.store._seal_file import seal_path
from perdure.store.levels import Level
from perdure.store.seal import Sidecar, parse_sidecar


@dataclass(frozen=True)
class Golden:
    """The bytes of a log and of its sidecar."""

    name: str
    log: bytes
    seal: bytes

    @property
    def sidecar(self) -> Sidecar:
        return parse_sidecar(self.seal)

    @property
    def ends(self) -> list[int]:
        """The offsets behind each line."""
        return [place + 1 for place, byte in enumerate(self.log) if byte == ord("\n")]


def compacted() -> Log:
    log = session().prompt("first").attempt().answer("a" * 700).usage().joined().finish()
    log.prompt("second").attempt().answer("b").finish().compact(keep=2).attempt()
    return log.usage().summary().finish().joined(3).prompt("third").attempt().answer("c").finish()


def aborted() -> Log:
    log = session().prompt().attempt().calls(("bash", {"command": "sleep"}), ("read", {}))
    log.started(0).abort("tool", call=0).interrupted(0).synthetic(1, "aborted")
    return log.finish("aborted").joined(3).prompt("again").attempt().failed().finish("failed")


def long_result() -> Log:
    log = session().prompt("large").attempt().calls(("bash", {"command": "ls"})).usage().joined()
    log.started(0).result(0, "0123456789abcde\n" * 250).attempt().answer("seen")
    return log.usage().finish().joined(3)


def unfinished() -> Log:
    return session().user("note \u2028").prompt("go").attempt().retry().calls(("read", {"p": "é"}))


LOGS: dict[str, Callable[[], Log]] = {
    "whole run": whole_run,
    "compacted": compacted,
    "aborted": aborted,
    "long result": long_result,
    "unfinished": unfinished,
}
LEVELS: tuple[Level, ...] = ("process", "barrier", "full")


@cache
def golden(name: str, level: Level) -> Golden:
    """Return a golden session, written by a store of this level."""
    with tempfile.TemporaryDirectory() as directory:
        path = asyncio.run(_write(Path(directory), LOGS[name](), level))
        return Golden(f"{name}, {level}", path.read_bytes(), seal_path(path).read_bytes())


def all_golden() -> list[Golden]:
    """Return every golden session at every level."""
    return [golden(name, level) for name in LOGS for level in LEVELS]


@cache
def state_of(log: bytes) -> SessionState:
    """Return what a sound log means."""
    ledger = load_ledger(log)
    assert isinstance(ledger, Ledger)
    return ledger.state


def is_promise(facts: Sequence[Fact], level: Level) -> bool:
    """Return whether facts, once acknowledged, survive a power cut: the levels in other words."""
    if level != "barrier":
        return level == "full"
    records = [fact["record"] for fact in facts if fact["kind"] == "record"]
    return any(
        record["type"] in ("runStarted", "compactionStarted", "abortRequested", "operationFinished")
        or (record["type"] == "toolStarted" and record["replay"] == "never")
        for record in records
    )


async def _write(directory: Path, log: Log, level: Level) -> Path:
    store = await create_session(directory, make_options(level=level))
    for transaction in transactions_of(log):
        await store.commit(transaction)
    await store.close()
    return store.path


def main(folder: Path) -> None:
    """Write the files of a release: each golden session once, as its default level writes it."""
    folder.mkdir(parents=True)
    for name in LOGS:
        written = golden(name, "barrier")
        stem = folder / name.replace(" ", "-")
        stem.with_suffix(".jsonl").write_bytes(written.log)
        stem.with_suffix(".seal").write_bytes(written.seal)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
