"""From stored messages to the turns that Anthropic's Messages protocol accepts. Pure.

Its rules are strict, and one breach makes a whole conversation unusable:

* turns of user and assistant alternate;
* the user turn after calls begins with exactly one result for each of them; a call without a
  result gets one that says so, a result without its call is dropped;
* ids of calls are unique in the request, ids and names are of few characters;
* no text is blank;
* thinking goes back as it came, in its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256

from perdure.core.arguments import parse_arguments
from perdure.core.messages import AssistantMessage, Message, ToolMessage, calls_of
from perdure.json_types import JsonObject
from perdure.providers.answers import clean_arguments
from perdure.providers.shapes import as_list, as_object
from perdure.providers.tool_names import sent_name

NO_RESULT = "The call was not answered: the operation ended before."

_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def wire_turns(messages: Sequence[Message], opaque: Mapping[int, JsonObject]) -> list[JsonObject]:
    """Return the turns; ``opaque`` holds what came with answers, by index of the message."""
    history = _History()
    for index, message in enumerate(messages):
        match message["role"]:
            case "user":
                history.say(message["content"])
            case "assistant":
                history.answer(message, opaque.get(index))
            case "tool":
                history.result(message)
    return history.finish()


class _History:
    """The turns so far: whole ones, and the user turn that is still open."""

    def __init__(self) -> None:
        self._turns: list[JsonObject] = []
        self._results: dict[str, JsonObject] = {}
        self._texts: list[JsonObject] = []
        self._owed: dict[str, str] = {}
        self._used: set[str] = set()

    def say(self, text: str) -> None:
        """Add what the user said."""
        self._texts += _text_blocks(text)

    def result(self, message: ToolMessage) -> None:
        """Add a result, if its call stands in the last answer."""
        wire_id = self._owed.get(message["tool_call_id"])
        if wire_id is not None:
            block: JsonObject = {"type": "tool_result", "tool_use_id": wire_id}
            content = message["content"]
            self._results[wire_id] = block | ({"content": content} if content.strip() else {})

    def answer(self, message: AssistantMessage, opaque: JsonObject | None) -> None:
        """Add an answer, with the blocks it came in when they are known."""
        ids = {call["id"]: self._wire_id(call["id"]) for call in calls_of(message)}
        blocks = _original(opaque, ids) or _rebuilt(message, ids)
        if blocks:
            self._end_user_turn()
            self._add("assistant", blocks)
            self._owed = ids

    def finish(self) -> list[JsonObject]:
        """Return all turns."""
        self._end_user_turn()
        return self._turns

    def _end_user_turn(self) -> None:
        """Results come first, in the order of their calls."""
        results = [
            self._results.get(wire_id) or _missing(wire_id) for wire_id in self._owed.values()
        ]
        self._add("user", [*results, *self._texts])
        self._owed = {}
        self._results = {}
        self._texts = []

    def _add(self, role: str, blocks: list[JsonObject]) -> None:
        if not blocks:
            return
        last = self._turns[-1] if self._turns else None
        if last is not None and last["role"] == role:
            last["content"] = [*as_list(last["content"]), *blocks]
        else:
            self._turns.append({"role": role, "content": [*blocks]})

    def _wire_id(self, call_id: str) -> str:
        wire_id = call_id
        while wire_id in self._used or not _ID.fullmatch(wire_id):
            seed = f"{wire_id} {len(self._used)}".encode("utf-8", "replace")
            wire_id = f"toolu_{sha256(seed).hexdigest()[:24]}"
        self._used.add(wire_id)
        return wire_id


def _original(opaque: JsonObject | None, ids: Mapping[str, str]) -> list[JsonObject]:
    """Return the blocks as they came; none unless they hold the very calls of the message."""
    blocks = [as_object(block) for block in as_list((opaque or {}).get("content"))]
    calls = [block.get("id") for block in blocks if block.get("type") == "tool_use"]
    if calls != [*ids]:
        return []
    return [_sendable(block, ids) if block.get("type") == "tool_use" else block for block in blocks]


def _sendable(block: JsonObject, ids: Mapping[str, str]) -> JsonObject:
    name = sent_name(str(block.get("name", "")))
    return {**block, "id": ids[str(block["id"])], "name": name}


def _rebuilt(message: AssistantMessage, ids: Mapping[str, str]) -> list[JsonObject]:
    blocks = _text_blocks(message["content"] or "")
    for call in calls_of(message):
        function = call["function"]
        arguments = parse_arguments(clean_arguments(function["arguments"])) or {}
        name = sent_name(function["name"])
        blocks.append({"type": "tool_use", "id": ids[call["id"]], "name": name, "input": arguments})
    return blocks


def _text_blocks(text: str) -> list[JsonObject]:
    return [{"type": "text", "text": text}] if text.strip() else []


def _missing(wire_id: str) -> JsonObject:
    return {
        "type": "tool_result",
        "tool_use_id": wire_id,
        "content": NO_RESULT,
        "is_error": True,
    }
