"""Facts as updates of the protocol: what a client is shown, live and when a session is loaded.

A call is known to the client as ``<assistantEntryId>:<toolIndex>``, because providers use the ids
of calls again. It is shown when the model has asked for it, when its intent is durable, and when
its result is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from acp import helpers
from acp.schema import (
    AgentMessageChunk,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    ToolCallLocation,
    ToolCallProgress,
    ToolCallStart,
    ToolKind,
    UsageUpdate,
    UserMessageChunk,
)

from perdure.agent.transcript.entry_kinds import is_answer, is_result, is_started_result
from perdure.core.arguments import parse_arguments
from perdure.core.entries import AssistantEntry, Entry, StartedToolEntry, UnstartedToolEntry
from perdure.core.facts import Fact
from perdure.core.masking import Shown
from perdure.json_types import JsonObject
from perdure.mcp.names import readable
from perdure.tools.registry import builtin_tools

Update: TypeAlias = (
    UserMessageChunk
    | AgentMessageChunk
    | AgentThoughtChunk
    | ToolCallStart
    | ToolCallProgress
    | AvailableCommandsUpdate
    | UsageUpdate
)

_KINDS: dict[str, ToolKind] = {
    "read": "read",
    "write": "edit",
    "edit": "edit",
    "bash": "execute",
    "grep": "search",
    "glob": "search",
    "list": "search",
    "fetch": "fetch",
}


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The result of a call that may have changed a file; ``perdure.acp.edits`` knows which."""

    update: ToolCallProgress
    tool_started_id: str


class Projection:
    """Follows the facts of one session, from its first one on.

    ``root`` is the workspace, ``shown`` is how results of tools are.
    """

    def __init__(self, root: Path, shown: Shown) -> None:
        self._root = root
        self._shown = shown
        self._tools = builtin_tools()
        self._started: dict[str, str] = {}
        self.running: str | None = None

    def take(self, fact: Fact) -> Iterator[Update | Succeeded]:
        """Yield what the fact shows."""
        if fact["kind"] == "entry":
            yield from self._entry(fact["id"], fact["entry"])
        elif fact["kind"] == "record" and fact["record"]["type"] == "toolStarted":
            record = fact["record"]
            key = call_key(record["assistantEntryId"], record["toolIndex"])
            self._started[fact["id"]] = self.running = key
            yield helpers.update_tool_call(key, status="in_progress")

    def _entry(self, entry_id: str, entry: Entry) -> Iterator[Update | Succeeded]:
        if entry["type"] == "compaction":
            return
        if is_result(entry):
            yield self._result(entry)
        elif is_answer(entry):
            yield from self._answer(entry_id, entry)
        else:
            yield helpers.update_user_message_text(entry["message"]["content"])

    def _answer(self, entry_id: str, entry: AssistantEntry) -> Iterator[Update]:
        if entry["message"]["content"]:
            yield helpers.update_agent_message_text(entry["message"]["content"])
        for index, call in enumerate(entry["message"].get("tool_calls", ())):
            key = call_key(entry_id, index)
            name = call["function"]["name"]
            arguments = parse_arguments(call["function"]["arguments"])
            yield self._call(key, name, {} if arguments is None else arguments)

    def _call(self, key: str, name: str, arguments: JsonObject) -> ToolCallStart:
        tool = self._tools.get(name)
        return helpers.start_tool_call(
            key,
            tool.title(arguments) if tool else readable(name),
            kind=_KINDS.get(name, "other"),
            status="pending",
            locations=self._locations(arguments),
            raw_input=arguments,
        )

    def _locations(self, arguments: JsonObject) -> list[ToolCallLocation]:
        path, offset = arguments.get("path"), arguments.get("offset")
        if not isinstance(path, str) or "\0" in path:
            return []
        line = offset if isinstance(offset, int) and offset > 0 else None
        return [ToolCallLocation(path=str(self._root / path), line=line)]

    def _result(self, entry: StartedToolEntry | UnstartedToolEntry) -> Update | Succeeded:
        """A synthetic result is no success: nobody knows of one."""
        text = self._shown(entry["message"]["content"])
        succeeded = entry["result"]["type"] == "success"
        if is_started_result(entry):
            self.running = None
            key = self._started[entry["toolStartedId"]]
        else:
            key = call_key(entry["assistantEntryId"], entry["toolIndex"])
        update = helpers.update_tool_call(
            key,
            status="completed" if succeeded else "failed",
            content=[helpers.tool_content(helpers.text_block(text))],
            raw_output=text,
        )
        if succeeded and is_started_result(entry):
            return Succeeded(update, entry["toolStartedId"])
        return update


def call_key(assistant_entry_id: str, index: int) -> str:
    """Return the client's id of a call; it is also the id of its approval."""
    return f"{assistant_entry_id}:{index}"
