"""What the runs of a session changed in files, and whether it is still so.

The log names the calls; their notes beside the session (``perdure.tools.images``) say which bytes
each file had before and after. A call without a note, of another program or from before there
were notes, is not listed. Commands change what nobody has noted: they are only named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from perdure.core.facts import Fact
from perdure.core.records import ToolStarted
from perdure.errors import ToolError
from perdure.protocol.changes import ChangeState, CommandRun
from perdure.tools.images import Image, noted, sha256_now

UNREADABLE = ""
"""In the place of a hash: what is there now has no content to compare."""


@dataclass(frozen=True, slots=True)
class Change:
    """One call that gave a file other bytes. ``certain``: its result says so."""

    operation_id: str
    tool_call_id: str
    image: Image
    certain: bool


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of a session by file, each in their order, and the commands it started."""

    files: Mapping[Path, Sequence[Change]]
    commands: Sequence[CommandRun]
    last_run: str | None


def changes_in(transactions: Iterable[Sequence[Fact]], data: Path) -> Changes:
    """Collect the changes of a session; ``data`` is its own folder.

    Intent and result in one transaction are a refused call: nothing was executed.
    """
    files = defaultdict[Path, list[Change]](list)
    commands: list[CommandRun] = []
    last_run = None
    started: dict[str, ToolStarted] = {}
    results: dict[str, str] = {}
    for facts in transactions:
        begun = {fact["id"]: record for fact in facts if (record := _started(fact)) is not None}
        ended = dict(filter(None, map(_result, facts)))
        started |= {key: record for key, record in begun.items() if key not in ended}
        results |= ended
        last_run = next(filter(None, map(_run, facts)), last_run)
    for key, record in started.items():
        if record["toolName"] == "bash":
            commands.append(_command(record))
        image = noted(data, key)
        result = results.get(key)
        if image is not None and image.before != image.after and result != "error":
            change = Change(record["operationId"], record["toolCallId"], image, result == "success")
            files[image.path].append(change)
    return Changes(files, commands, last_run)


def hash_now(path: Path) -> str | None:
    """Return the hash of a file, None where there is none, or ``UNREADABLE``."""
    try:
        return sha256_now(path)
    except (OSError, ToolError):
        return UNREADABLE


def happened(changes: Sequence[Change], now: str | None) -> list[Change]:
    """Leave out interrupted calls of one file that left no trace in it or in later calls."""
    seen = [*(change.image.before for change in changes[1:]), now]
    return [
        change
        for number, change in enumerate(changes)
        if change.certain or change.image.after in seen[number:]
    ]


def states(changes: Sequence[Change], now: str | None) -> list[ChangeState]:
    """Say of each change of one file whether it is still there.

    The last change whose bytes the file has is applied, and those that it builds upon; a later
    one whose file is as before it is reverted; all others are hidden by what came since.
    """
    images = [change.image for change in changes]
    found: list[ChangeState] = ["changedSince"] * len(images)
    last = max((n for n, image in enumerate(images) if image.after == now), default=-1)
    expected = now
    for number in range(last, -1, -1):
        if images[number].after != expected:
            break
        found[number] = "applied"
        expected = images[number].before
    expected = now
    for number in range(last + 1, len(images)):
        if images[number].before == expected:
            found[number] = "reverted"
            expected = images[number].after
    return found


def _started(fact: Fact) -> ToolStarted | None:
    if fact["kind"] != "record" or fact["record"]["type"] != "toolStarted":
        return None
    return fact["record"]


def _result(fact: Fact) -> tuple[str, str] | None:
    match fact:
        case {"entry": {"toolStartedId": str(key), "result": {"type": str(result)}}}:
            return key, result
        case _:
            return None


def _run(fact: Fact) -> str | None:
    if fact["kind"] != "record" or fact["record"]["type"] != "runStarted":
        return None
    return fact["record"]["operationId"]


def _command(record: ToolStarted) -> CommandRun:
    return CommandRun(
        command=str(record["arguments"].get("command", "")),
        operationId=record["operationId"],
        toolCallId=record["toolCallId"],
    )
