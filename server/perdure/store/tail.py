"""Looking at a session from its end: cheap answers that need not reduce the whole file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import orjson

from perdure.core.facts import Fact
from perdure.core.last_run import LastRun, last_run_after
from perdure.json_types import JsonObject, JsonValue

_BLOCK = 64 * 1024
_STARTS = frozenset({"runStarted", "compactionStarted"})
_MEASURES = re.compile(rb'"(?:usage|stepAttempt|compaction)"')


def looks_unfinished(path: Path) -> bool:
    """Return whether the last operation of a session lacks its terminal.

    Reads back to the last start or terminal only. A guess for choosing which session to open:
    opening reduces the file and knows. An unreadable file looks finished.
    """
    try:
        for record in _records_backwards(path):
            match record:
                case {"type": "operationFinished"}:
                    return False
                case {"type": str(kind)} if kind in _STARTS:
                    return True
                case _:
                    continue
    except (OSError, orjson.JSONDecodeError):
        return False
    return False


def last_run(path: Path) -> LastRun:
    """Return how the last run of a session ended.

    Reads back to the last start of a run only. In an unreadable file there is none.
    """
    since: list[JsonObject] = []
    try:
        for fact in _record_facts_backwards(path):
            since.append(fact)
            if _record_of(fact).get("type") == "runStarted":
                break
    except (OSError, orjson.JSONDecodeError):
        return LastRun()
    last = LastRun()
    for fact in reversed(since):
        last = last_run_after(last, cast("Fact", fact))
    return last


def facts_of_the_context(path: Path, *, compacted: bool) -> list[Fact]:
    """Return what tells the size of the model's context: attempts, usage, the last compaction.

    In the order of the file, from that compaction on where the session is ``compacted``, else
    from the last attempt of a run that has usage. Other lines are passed over unread; an
    unreadable file tells nothing.
    """
    since: list[Fact] = []
    measured = set[str | None]()
    try:
        with path.open("rb") as file:
            for line in filter(_MEASURES.search, _lines_backwards(file)):
                facts = cast("list[Fact]", _facts(line))
                since += [fact for fact in reversed(facts) if _measures(fact)]
                measured.update(map(_measured_attempt, facts))
                if compacted:
                    is_enough = any(map(_is_compaction, facts))
                else:
                    is_enough = not measured.isdisjoint(filter(None, map(_attempt_of_run, facts)))
                if is_enough:
                    break
    except (OSError, orjson.JSONDecodeError):
        return []
    return since[::-1]


def _measures(fact: Fact) -> bool:
    return fact["kind"] != "entry" or _is_compaction(fact)


def _measured_attempt(fact: Fact) -> str | None:
    """Return the attempt that a usage is of."""
    return fact["attemptId"] if fact["kind"] == "usage" and "attemptId" in fact else None


def _attempt_of_run(fact: Fact) -> str | None:
    """Return the attempt that the fact announces, if it is one of a run."""
    match fact:
        case {
            "record": {"type": "stepAttempt", "stepKind": "assistant", "attemptId": str(attempt)}
        }:
            return attempt
        case _:
            return None


def _is_compaction(fact: Fact) -> bool:
    return fact["kind"] == "entry" and fact["entry"]["type"] == "compaction"


def _records_backwards(path: Path) -> Iterator[JsonObject]:
    """Yield the records of a session, last first."""
    return map(_record_of, _record_facts_backwards(path))


def _record_facts_backwards(path: Path) -> Iterator[JsonObject]:
    """Yield the facts that hold records, last first."""
    with path.open("rb") as file:
        for line in _lines_backwards(file):
            for fact in reversed(_facts(line)):
                if isinstance(fact, dict) and isinstance(fact.get("record"), dict):
                    yield fact


def _record_of(fact: JsonObject) -> JsonObject:
    record = fact["record"]
    return record if isinstance(record, dict) else {}


def _facts(line: bytes) -> list[JsonValue]:
    value = orjson.loads(line)
    return value if isinstance(value, list) else [value]


def _lines_backwards(file: BinaryIO) -> Iterator[bytes]:
    """Yield the complete lines, last first; an unfinished last line is left out."""
    position = file.seek(0, os.SEEK_END)
    pending = b""
    complete = False
    while position > 0:
        size = min(_BLOCK, position)
        position -= size
        file.seek(position)
        pieces = (file.read(size) + pending).split(b"\n")
        pending = pieces[0]
        for line in reversed(pieces[1:]):
            if complete:
                yield line
            complete = True
    if complete:
        yield pending
