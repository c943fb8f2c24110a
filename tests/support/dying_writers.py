"""Writers of golden sessions that kill themselves at a change of the disk; see ``forks``."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.support.disk_golden import LOGS
from tests.support.forks import Forks, Say, die, forks_of, serve
from tests.unit.store.sessions import create_session, make_options, transactions_of

from perdure.json_types import JsonObject
from perdure.store._fs import SystemFiles
from perdure.store.jsonl import SessionStore
from perdure.store.levels import Level


@dataclass(frozen=True)
class Job:
    """Write what is missing of a golden session, ``together`` transactions at a time.

    The session is created in ``folder`` unless one is there. The writer kills itself in place of
    its ``nth`` change of the disk, after ``eighths`` eighths of the bytes where that is a write;
    with 0 it is never killed. A ``hasty`` one says that it was told before it was.
    """

    folder: str
    name: str
    level: Level
    together: int = 1
    nth: int = 0
    eighths: int = 0
    hasty: bool = False


@dataclass(frozen=True)
class Outcome:
    """What came of a job; ``acknowledged`` is the last seq that the writer was told.

    ``changes`` has a letter for each change of the disk, ``w`` for a write, if it was not killed.
    """

    killed: bool
    acknowledged: int = 0
    changes: str = ""


class DyingFiles(SystemFiles):
    """Real files that are not waited for; the process is killed at the ``nth`` change."""

    def __init__(self, nth: int, eighths: int) -> None:
        self.changes = ""
        self._nth = nth
        self._eighths = eighths

    def create(self, path: Path) -> int:
        self._change("c")
        return super().create(path)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        if len(self.changes) + 1 == self._nth:
            super().write(fd, data[: len(data) * self._eighths // 8])
        self._change("w")
        return super().write(fd, data)

    def truncate(self, fd: int, length: int) -> None:
        self._change("t")
        super().truncate(fd, length)

    def sync(self, fd: int) -> None:
        self._change("s")

    def sync_directory(self, path: Path) -> None:
        self._change("d")

    def _change(self, kind: str) -> None:
        self.changes += kind
        if len(self.changes) == self._nth:
            die()


@contextmanager
def dying_writers() -> Iterator[Forks]:
    """Start a server of such writers, and end it."""
    with forks_of("tests.support.dying_writers") as running:
        yield running


def run(writers: Forks, job: Job) -> Outcome:
    """Have a writer do ``job``."""
    return Outcome(**writers.run(asdict(job)))  # type: ignore[arg-type]


def session_in(folder: Path) -> Path | None:
    """Return the session file of a folder; one without a whole header was never created."""
    path = next(folder.glob("sessions/*.jsonl"), None)
    return path if path is not None and b"\n" in path.read_bytes() else None


def work(values: JsonObject, say: Say) -> None:
    """Do a job."""
    job = Job(**values)  # type: ignore[arg-type]
    files = DyingFiles(job.nth, job.eighths)
    asyncio.run(_write(job, files, say))
    say(changes=files.changes)


async def _write(job: Job, files: DyingFiles, say: Say) -> None:
    folder = Path(job.folder)
    options = make_options(files, level=job.level)
    path = session_in(folder)
    if path is None:
        shutil.rmtree(folder, ignore_errors=True)
        store = await create_session(folder, options)
    else:
        store = await SessionStore.open(path, options=options)
    done = store.path.read_bytes().count(b"\n") - 1
    rest = transactions_of(LOGS[job.name]())[done:]
    for start in range(0, len(rest), job.together):
        group = rest[start : start + job.together]
        if job.hasty:
            say(acknowledged=store.state.next_seq - 1 + sum(map(len, group)))
        commits = map(store.commit, group)
        for facts in await asyncio.gather(*commits):
            say(acknowledged=facts[-1]["seq"])
    await store.close()


if __name__ == "__main__":
    serve(work)
