"""One real store in a directory of its own, and what its file must hold.

``expected`` are the bytes of the header and all transactions that are known to be stored.
``in_doubt`` names those whose outcome is unknown, by the ids of their facts: until the session is
opened again some of them may stand behind ``expected``, the last one torn. ``unsure`` tells whether
the last commits met a fault after which the outcome cannot be known.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.property.store_story import Drafts
from tests.support.faults import Fault, FaultyFiles
from tests.support.log import session
from tests.unit.store.sessions import make_options, write_session

from perdure.core.codec import encode_line
from perdure.core.facts import Draft, Fact
from perdure.core.reducer import Reduced, reduce_session
from perdure.core.state import SessionState
from perdure.errors import RejectedTransaction, StorageFailed, StoreError
from perdure.store._seal_file import seal_path
from perdure.store.follow import read_session
from perdure.store.jsonl import SessionStore
from perdure.store.levels import Level
from perdure.store.seal import Seal, parse_sidecar

Facts: TypeAlias = tuple[Fact, ...]
Ids: TypeAlias = tuple[str, ...]


class StoreWorld:
    """The store and its file. ``heard`` is what an observer was told since the last opening."""

    def __init__(self, home: Path, level: Level) -> None:
        self.level = level
        self.runner = asyncio.Runner()
        self.path = write_session(home / "sessions", session())
        self.expected = self.path.read_bytes()
        self.in_doubt: list[Ids] = []
        self.heard: list[Facts] = []
        self.unsure = False
        self._open()

    def commit(
        self,
        transactions: Sequence[Drafts],
        *,
        cancelled: Collection[int] = (),
        faults: Sequence[Fault] = (),
    ) -> tuple[list[Facts | BaseException], list[Facts]]:
        """Submit all at once, take back some callers; return the answers and what was stored."""
        before = len(self.heard)
        self.files.add(*faults)
        answers = self.runner.run(self._commit(transactions, cancelled))
        self.unsure = any(map(self._failed_to_be_sure, faults))
        self.files.add()
        stored = self.heard[before:]
        self.expected += b"".join(map(line_of, stored))
        return answers, stored

    def reopen(self, tail: bytes, faults: Sequence[Fault]) -> list[Ids]:
        """Close, let a crash leave ``tail``, open twice; return which of the doubtful ones stand.

        With ``faults`` the first attempt may fail, and the next one must not.
        """
        self._close()
        with self.path.open("ab") as file:
            file.write(tail)
        content = self.path.read_bytes()
        good = content.rindex(b"\n") + 1
        with suppress(StoreError):
            self._open(*faults)
            self._close()
        self._open()
        standing = ids_in(content[len(self.expected) : good])
        self.expected, self.in_doubt = content[:good], []
        kept = [path.read_bytes() for path in self.path.parent.glob("*.torn-*")]
        assert good == len(content) or content[good:] in kept
        before = self.files_on_disk()
        self._close()
        self._open()
        assert self.files_on_disk() == before
        assert self.store.torn_tail is None
        return standing

    def files_on_disk(self) -> dict[str, bytes]:
        """All bytes, without the note that says who has the session open."""
        return {
            path.name: path.read_bytes()
            for path in self.path.parent.iterdir()
            if path.suffix != ".owner"
        }

    def check(self) -> None:
        """Compare the file, the state, a second reader and the sidecar with what is expected."""
        content = self.path.read_bytes()
        assert content.startswith(self.expected)
        rest = content[len(self.expected) :]
        assert self.in_doubt or not rest
        standing = ids_in(rest)
        assert standing == [found for found in self.in_doubt if found in standing]
        assert self.store.state == state_of(self.expected)
        assert read_session(self.path) == state_of(content)
        ends = dict(chains_of(self.expected))
        for seal in self._seals():
            assert ends.get(seal.end) == seal.chain
            assert seal.durable <= seal.through < self.store.state.next_seq

    @property
    def is_sealed(self) -> bool:
        """Whether the sidecar vouches for the whole log, whatever it missed before."""
        seals = self._seals()
        return bool(seals) and seals[-1].end == len(self.expected)

    def end(self) -> None:
        """Close everything."""
        self._close()
        self.runner.close()

    def _failed_to_be_sure(self, fault: Fault) -> bool:
        """Return whether a sync of the log, or cutting it back, failed as planned."""
        done = self.files.trace.count(fault.operation)
        return fault.operation in ("sync", "truncate") and fault.file == "log" and done >= fault.nth

    def _seals(self) -> Sequence[Seal]:
        seals = seal_path(self.path)
        return parse_sidecar(seals.read_bytes()).seals if seals.exists() else ()

    def _open(self, *faults: Fault) -> None:
        self.files = FaultyFiles(*faults)
        options = make_options(self.files, level=self.level)
        self.store = self.runner.run(SessionStore.open(self.path, options=options))
        self.heard = []
        self.store.subscribe(self.heard.append)

    def _close(self) -> None:
        for _ in range(2):
            self.runner.run(asyncio.wait_for(self.store.close(), timeout=20))
        with pytest.raises(StorageFailed, match="closed"):
            self.runner.run(self.store.commit([]))

    async def _commit(
        self, transactions: Sequence[Drafts], cancelled: Collection[int]
    ) -> list[Facts | BaseException]:
        tasks = [asyncio.ensure_future(self.store.commit(drafts)) for drafts in transactions]
        await asyncio.sleep(0)
        for index in cancelled:
            tasks[index % len(tasks)].cancel()
        async with asyncio.timeout(20):
            answers = await asyncio.gather(*tasks, return_exceptions=True)
            with suppress(RejectedTransaction, StoreError):
                await self.store.commit([])
        return answers


def line_of(facts: Facts) -> bytes:
    """Return the line of a transaction."""
    return encode_line(facts[0] if len(facts) == 1 else list(facts))


def state_of(content: bytes) -> SessionState:
    """Reduce what must be a sound log, but for a torn end."""
    reduced = reduce_session(content)
    assert isinstance(reduced, Reduced), reduced
    return reduced.state


def ids_in(lines: bytes) -> list[Ids]:
    """Return the ids of the facts of each complete line."""
    values = [json.loads(line) for line in lines.split(b"\n")[:-1]]
    return [ids(value if isinstance(value, list) else [value]) for value in values]


def ids(facts: Iterable[Draft | Fact]) -> Ids:
    """Return the ids of the facts, which name a transaction."""
    return tuple(fact.get("id", "") for fact in facts)


def drafts_in(facts: Facts) -> list[dict[str, object]]:
    """Return the facts without what the store adds to a draft that has an id."""
    return [
        {key: value for key, value in fact.items() if key not in ("seq", "timestamp")}
        for fact in facts
    ]


def chains_of(log: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the end of each line and the chain after it."""
    chain, end = b"", 0
    for line in log.splitlines(keepends=True):
        end += len(line)
        chain = sha256(chain + line).digest()[:16]
        yield end, chain
