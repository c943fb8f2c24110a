"""A tool call: what the model asked for, what was started, what came of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from perdure.agent.transcript.inert import code_span
from perdure.agent.transcript.wording import Result, duration, moment, verdict
from perdure.core import messages
from perdure.core.records import ToolStarted
from perdure.mcp.names import readable

_EXIT = re.compile(r"\n\nCommand (exited with code -?\d+|timed out after [\d.]+ seconds\.)\Z")
_FINE = "exited with code 0"


@dataclass(frozen=True, slots=True)
class Started:
    """An intent. ``id`` names the fact and the files of its job; times are ms since the epoch."""

    id: str
    timestamp: int
    record: ToolStarted


@dataclass(frozen=True, slots=True)
class Ended:
    """A result, real or synthetic."""

    timestamp: int
    result: Result
    content: str


@dataclass(frozen=True, slots=True)
class Call:
    """One call as far as the facts tell."""

    asked: messages.Call
    started: Started | None = None
    ended: Ended | None = None

    @property
    def name(self) -> str:
        """The tool's name as the model wrote it."""
        return self.asked["function"]["name"]

    @property
    def words(self) -> str:
        """How it stands, in a few words."""
        if self.exit_status is not None and self.exit_status != _FINE:
            return self.exit_status.capitalize()
        if self.ended is not None:
            return verdict(self.ended.result)
        return "Not started" if self.started is None else "Started, no result recorded"

    @property
    def milliseconds(self) -> int | None:
        """How long it ran; None unless it was started and really ended."""
        if self.started is None or self.ended is None:
            return None
        if self.ended.result["type"] == "synthetic":
            return None
        return max(0, self.ended.timestamp - self.started.timestamp)

    @property
    def exit_status(self) -> str | None:
        """How a command ended; None for other tools and while it is not known."""
        ended = self.ended
        if self.name != "bash" or ended is None or ended.result["type"] != "success":
            return None
        found = _EXIT.search(f"\n\n{ended.content}")
        return found[1].removesuffix(".") if found else _FINE


def hover(call: Call) -> str:
    """Return what an editor shows beside a call, as Markdown."""
    lines = [f"**Tool** {code_span(readable(call.name))} · {call.words}", ""]
    lines += [f"- {name}: {value}" for name, value in _details(call) if value is not None]
    return "\n".join(lines)


def _details(call: Call) -> list[tuple[str, str | None]]:
    asked = ("Call", code_span(call.asked["id"]))
    if call.started is None:
        return [asked]
    record = call.started.record
    spent = call.milliseconds
    again = "may be repeated after a crash" if record["replay"] == "safe" else "never repeated"
    return [
        asked,
        ("Replay policy", f"`{record['replay']}`: {again}"),
        ("Replay key", code_span(record["replayKey"])),
        ("Environment", code_span(record["environmentIdentity"], limit=300)),
        ("Started", moment(call.started.timestamp)),
        ("Duration", None if spent is None else duration(spent)),
        ("Exit status", call.exit_status),
        ("Job", code_span(call.started.id) if call.name == "bash" else None),
    ]
