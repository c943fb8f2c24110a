"""What ``perdure run`` shows: text for people, or JSON lines for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Protocol, cast

from perdure.agent.host import Level
from perdure.agent.transcript.entry_kinds import is_answer, is_result
from perdure.agent.transcript.wording import Result, verdict
from perdure.cli.console import Console
from perdure.core.entries import Entry
from perdure.core.facts import Fact
from perdure.core.records import OperationFinished, ToolStarted
from perdure.mcp.names import readable
from perdure.protocol.progress import CommittedParams, DeltaParams
from perdure.protocol.status import Status
from perdure.protocol.trouble import BlockedInfo
from perdure.tools.fetch import FetchTool
from perdure.tools.registry import builtin_tools

WORKING = ("running", "waitingForApproval")
"""States of work that goes on by itself."""


class View(Protocol):
    """Shows what the agent tells."""

    def status(self, status: Status) -> None:
        """Show a changed status."""

    def delta(self, params: DeltaParams) -> None:
        """Show provisional output."""

    def committed(self, params: CommittedParams) -> None:
        """Show durable facts."""

    def message(self, level: Level, message: str) -> None:
        """Show what the agent tells the user."""


class JsonView:
    """One line of JSON per event, exactly as the language server would send it."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def status(self, status: Status) -> None:
        """Write a ``status`` event."""
        self._write("status", status)

    def delta(self, params: DeltaParams) -> None:
        """Write a ``delta`` event."""
        self._write("delta", params)

    def committed(self, params: CommittedParams) -> None:
        """Write a ``committed`` event."""
        self._write("committed", params)

    def message(self, level: Level, message: str) -> None:
        """Write to standard error, which stays empty as long as nothing is wrong."""
        if level != "info":
            self._console.err(f"{level}: {message}")

    def _write(self, event: str, params: Mapping[str, object]) -> None:
        line = json.dumps({"event": event, **params}, ensure_ascii=False, separators=(",", ":"))
        self._console.out(line + "\n")


class TextView:
    """Answers go to standard output, as they stream; everything else to standard error."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._tools = builtin_tools(more=[FetchTool()])
        self._streamed = ""

    def status(self, status: Status) -> None:
        """End the line of an answer that will not be committed; the facts say the rest."""
        if status["state"] not in WORKING:
            self._end_line()

    def delta(self, params: DeltaParams) -> None:
        """Stream the answer's text."""
        if params["kind"] == "text":
            self._streamed += params["text"]
            self._console.out(params["text"])

    def committed(self, params: CommittedParams) -> None:
        """Show answers, tools and outcomes, as they are now in the log."""
        for fact in cast("list[Fact]", params["facts"]):
            if fact["kind"] == "entry":
                self._entry(fact["entry"])
            elif fact["kind"] == "record":
                record = fact["record"]
                if record["type"] == "toolStarted":
                    self._console.err(self._title(record))
                elif record["type"] == "operationFinished":
                    self._end_line()
                    self._console.err(_outcome(record))

    def message(self, level: Level, message: str) -> None:
        """Write to standard error."""
        self._console.err(message if level == "info" else f"{level}: {message}")

    def _entry(self, entry: Entry) -> None:
        if entry["type"] == "compaction":
            self._console.err("The conversation so far is summarised.")
        elif is_result(entry):
            self._console.err(f"  {_result(entry['result'], entry['message']['content'])}")
        elif is_answer(entry):
            self._answer(entry["message"]["content"] or "")

    def _answer(self, content: str) -> None:
        """The committed text is the truth: it is written again where the stream was not it."""
        if content != self._streamed:
            self._end_line()
            self._streamed = content
            self._console.out(content)
        self._end_line()

    def _end_line(self) -> None:
        if self._streamed and not self._streamed.endswith("\n"):
            self._console.out("\n")
        self._streamed = ""

    def _title(self, started: ToolStarted) -> str:
        tool = self._tools.get(started["toolName"])
        title = tool.title(started["arguments"]) if tool else readable(started["toolName"])
        return f"> {title}"


def explanation(blocked: BlockedInfo) -> Iterator[str]:
    """Yield the lines that say why work stands still, and what may be done."""
    yield blocked["title"]
    for detail in blocked["details"]:
        yield f"  {detail['field']}: recorded {detail['recorded']}, now {detail['current']}"


def _outcome(record: OperationFinished) -> str:
    error = record.get("error")
    return record["outcome"] if error is None else f"{record['outcome']}: {error['message']}"


def _result(result: Result, content: str) -> str:
    """Say how a call ended: how much it printed, or the first line of what went wrong."""
    if result["type"] == "success":
        return f"{len(content)} characters"
    if result["type"] == "error":
        return content.split("\n", 1)[0]
    return verdict(result)
