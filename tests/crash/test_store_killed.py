"""Real processes, really killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest
from tests.support.log import session
from tests.unit.store.sessions import make_options, user_draft, write_session

from perdure.core.state import Run, SessionState
from perdure.errors import SessionInUse
from perdure.store.follow import read_session
from perdure.store.jsonl import SessionStore
from perdure.store.options import system_options

pytestmark = [pytest.mark.asyncio, pytest.mark.process]
REPOSITORY = Path(__file__).parents[2]


class Writer:
    """A running writer."""

    def __init__(self, mode: str, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.store_writer", mode, str(path)],
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.heard() == "open"

    def heard(self) -> str:
        """Return the next line it says."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def kill(self) -> list[str]:
        """End it with SIGKILL; return what it had still said. Harmless when repeated."""
        if self.process.returncode is not None:
            return []
        self.process.kill()
        said, _ = self.process.communicate()
        complete, _, _ = said.rpartition("\n")
        return complete.split()


@contextmanager
def writing(mode: str, path: Path) -> Iterator[Writer]:
    writer = Writer(mode, path)
    try:
        yield writer
    finally:
        writer.kill()


def ids_on_disk(path: Path) -> list[str]:
    """Return the ids of all facts; every line must be one JSON value."""
    lines = [orjson.loads(line) for line in path.read_bytes().split(b"\n")[1:-1]]
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    return [line["id"] for line in lines]


@pytest.mark.hazard("K9 and reopen, five times, each time with a random torn tail")
async def test_five_kills_with_torn_tails_lose_nothing_acknowledged(tmp_path: Path) -> None:
    path = write_session(tmp_path, session())
    dice = random.Random(5)
    acknowledged: list[str] = []
    for _ in range(5):
        with writing("fill", path) as writer:
            acknowledged += [writer.heard() for _ in range(dice.randint(1, 40))]
            acknowledged += writer.kill()
        torn = dice.choice([b'{"kind":"rec', b"\0" * 4096, dice.randbytes(300).replace(b"\n", b"")])
        before = read_session(path)
        with path.open("ab") as file:
            file.write(torn)
        store = await SessionStore.open(path, options=system_options())
        assert store.torn_tail is not None
        assert store.torn_tail.evidence is not None
        assert store.torn_tail.evidence.read_bytes().endswith(torn)
        assert store.state == before
        acknowledged += [fact["id"] for fact in await store.commit([user_draft("after")])]
        await store.close()
    found = ids_on_disk(path)
    assert len(set(found)) == len(found)
    assert set(acknowledged) <= set(found)
    assert [fact_id for fact_id in found if fact_id in set(acknowledged)] == acknowledged


@pytest.mark.hazard("Second server on the same workspace", "K9 of the first: lock is free at once")
async def test_a_second_process_waits_for_the_end_of_the_first(tmp_path: Path) -> None:
    path = write_session(tmp_path, session().user("a"))
    with writing("idle", path) as writer:
        content = path.read_bytes()
        with pytest.raises(SessionInUse, match=str(writer.process.pid)) as caught:
            await SessionStore.open(path, options=make_options())
        assert caught.value.pid == writer.process.pid
        assert isinstance(read_session(path), SessionState)
        assert path.read_bytes() == content
        writer.kill()
        store = await SessionStore.open(path, options=make_options())
        await store.commit([user_draft()])
        await store.close()


@pytest.mark.hazard("K9 of the first: lock is free at once")
@pytest.mark.parametrize("mode", ["fork", "spawn"])
async def test_a_child_of_the_writer_does_not_hold_the_lock(tmp_path: Path, mode: str) -> None:
    path = write_session(tmp_path, session())
    with writing(mode, path) as writer:
        child = int(writer.heard())
        writer.process.kill()
        writer.process.wait()
        try:
            store = await SessionStore.open(path, options=make_options())
            await store.close()
        finally:
            os.kill(child, signal.SIGKILL)


@pytest.mark.requirement(111)
@pytest.mark.hazard("K9 right after abort: still aborted on reopen")
async def test_an_acknowledged_abort_survives_the_kill(tmp_path: Path) -> None:
    path = write_session(tmp_path, session().prompt().attempt())
    with writing("abort", path) as writer:
        assert writer.heard() == "aborted"
        writer.kill()
    store = await SessionStore.open(path, options=make_options())
    assert isinstance(store.state.operation, Run)
    assert store.state.operation.abort_requested
    await store.close()
