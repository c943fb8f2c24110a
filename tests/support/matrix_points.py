"""The kill points of the kill matrix, taken from a recorded run.

strace counts the calls of each thread for itself, so the n-th call of a thread is reached only if
no other thread gets to its own n-th before. Therefore

* the event loop's thread is traced alone (``loop``): each of its calls is reached;
* the thread that writes the session syncs, and no other does. Of the writes to the session the
  loop's thread makes most at the level ``barrier``, the default, so the writer's thread is killed
  at the level ``full``, where it makes them all;
* a thread of the pool renames what ``write`` and ``edit`` wrote. The model begins with those, so
  the first renames are not those of the loop's thread. (strace cannot tell them by their name.)
  Which thread of the pool it is, is open; so there are no more such points than the loop's
  thread makes renames: then one of them is reached in any case.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from tests.support.strace import ALL_THREADS, ended, traced

Level: TypeAlias = Literal["barrier", "full"]
Thread: TypeAlias = Literal["loop", "any"]

_SPAWN = "vfork"
_CALLS = f"write,fdatasync,fsync,ftruncate,fallocate,rename,unlink,mkdir,{_SPAWN}"
_LINE = re.compile(r"(?P<thread>\d+) +(?P<call>\w+)\((?P<arguments>.*)")
_OF_ONE_FILE = ("write", "fdatasync")
_SUFFIX = re.compile(r"\.(jsonl|seal)>")


@dataclass(frozen=True)
class Point:
    """The moment before the ``number``-th ``call`` of a thread.

    ``suffix`` says to which file of the session, "" for any file.
    """

    level: Level
    thread: Thread
    call: str
    suffix: str
    number: int

    def options(self, session_file: Path) -> list[str]:
        """The options for strace that kill there."""
        threads = ALL_THREADS if self.thread == "any" else ()
        inject = f"inject={self.call}:signal=SIGKILL:when={self.number}"
        paths = ("-P", str(session_file.with_suffix(self.suffix))) if self.suffix else ()
        return [*threads, *paths, "-o", "/dev/null", "-e", f"trace={self.call}", "-e", inject]


@asynccontextmanager
async def recorded(pid: int, trace: Path) -> AsyncIterator[None]:
    """Record the calls of a server that matter into the file ``trace``; it must end inside."""
    options = (*ALL_THREADS, "-y", "-s", "0", "-o", str(trace), "-e", f"trace={_CALLS}")
    async with traced(pid, *options) as strace:
        yield
        await ended(strace)


def points_in(trace: Path, pid: int, level: Level) -> list[Point]:
    """Return the points of a recorded run of the server ``pid``, call by call."""
    counted: Counter[tuple[Thread, str, str]] = Counter()
    for (thread, call, suffix), count in Counter(_events(trace)).items():
        where: Thread = "loop" if thread == pid else "any"
        counted[where, call, suffix] = max(counted[where, call, suffix], count)
    in_pool = counted["any", "rename", ""]
    counted["any", "rename", ""] = min(in_pool, counted["loop", "rename", ""])
    return [
        Point(level, thread, call, suffix, number)
        for (thread, call, suffix), count in sorted(counted.items())
        if _is_reached(level, thread, call, suffix)
        for number in range(1, count + 1)
    ]


def _events(trace: Path) -> Iterator[tuple[int, str, str]]:
    for line in trace.read_text().splitlines():
        match = _LINE.match(line)
        if match is not None:
            named = match["call"] in _OF_ONE_FILE and _SUFFIX.search(match["arguments"])
            yield int(match["thread"]), match["call"], f".{named[1]}" if named else ""


def _is_reached(level: Level, thread: Thread, call: str, suffix: str) -> bool:
    match call:
        case "write":
            return suffix != "" and (thread == "loop") == (level == "barrier")
        case "fdatasync":
            return thread == "any"
        case "rename":
            return level == "barrier"
        case _:
            return level == "barrier" and thread == "loop"
