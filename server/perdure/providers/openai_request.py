"""The body of a chat-completions request. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from perdure.core.arguments import parse_arguments
from perdure.core.declarations import ToolDefinition
from perdure.core.messages import AssistantMessage, Call, Message
from perdure.json_types import JsonObject
from perdure.providers.answers import clean_arguments
from perdure.providers.base import ModelRequest
from perdure.providers.openai_dialect import Dialect
from perdure.providers.openai_reasoning import extra_of_call, fields_of
from perdure.providers.request_json import request_json
from perdure.providers.tool_names import sent_name
from perdure.providers.tool_schema import wire_schema


class Encoder:
    """Writes requests, each of which sends the messages of the one before it again.

    It keeps the bytes of the latest request's messages: what stands in a context does not change.
    Each is kept with a comma before it, so that thousands are joined in one pass.
    """

    def __init__(self, *, model: str, options: JsonObject, dialect: Dialect) -> None:
        self._model = model
        self._options = options
        self._dialect = dialect
        self._messages: list[Message] = []
        self._opaque: Mapping[int, JsonObject] = {}
        self._written: list[bytes] = []

    def encode(self, request: ModelRequest) -> bytes:
        """Return the body of a streaming request. No lone surrogate reaches the wire."""
        self._write(request)
        pieces = [*_system(request), *self._written]
        pieces[:1] = [first.removeprefix(b",") for first in pieces[:1]]
        others: JsonObject = {
            "stream": True,
            "stream_options": {"include_usage": True},
            **self._options,
        }
        if request.tools:
            others["tools"] = [_wire_tool(tool) for tool in request.tools]
        begin = request_json({"model": self._model}).removesuffix(b"}")
        end = request_json(others).removeprefix(b"{")
        return b"".join([begin, b',"messages":[', *pieces, b"],", end])

    def _write(self, request: ModelRequest) -> None:
        """Write the messages that are new: all of them, unless the request goes on from the last.

        One that says nothing is left out. The comparison is fast: it finds the same objects again.
        """
        messages = list(request.messages)
        known = len(self._messages)
        if messages[:known] != self._messages or _beginning(request.opaque, known) != self._opaque:
            known = 0
            self._written = []
        wire = _Wire(self._dialect)
        new = enumerate(messages[known:], known)
        written = (wire.message(message, request.opaque.get(index, {})) for index, message in new)
        self._written += [b"," + text for text in written if text]
        self._messages = messages
        self._opaque = request.opaque


class _Wire:
    """Messages in the words of the service."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def message(self, message: Message, opaque: JsonObject) -> bytes:
        """Return a message as JSON, nothing of one that says nothing."""
        match message["role"]:
            case "user":
                return request_json({"role": "user", "content": message["content"]})
            case "assistant" if message["content"] or message.get("tool_calls"):
                return request_json(self._answer(message, opaque))
            case "assistant":
                return b""
            case "tool":
                call_id = self._dialect.call_id(message["tool_call_id"])
                content = message["content"]
                return request_json({"role": "tool", "tool_call_id": call_id, "content": content})

    def _answer(self, message: AssistantMessage, opaque: JsonObject) -> JsonObject:
        answer: JsonObject = {"role": "assistant", "content": message["content"]}
        if "tool_calls" in message:
            answer |= fields_of(opaque)
            answer["tool_calls"] = [
                self._call(call) | extra_of_call(opaque, index)
                for index, call in enumerate(message["tool_calls"])
            ]
            if self._dialect.reasoning_with_calls:
                answer.setdefault("reasoning_content", "")
        return answer

    def _call(self, call: Call) -> JsonObject:
        function = call["function"]
        return {
            "id": self._dialect.call_id(call["id"]),
            "type": "function",
            "function": {
                "name": sent_name(function["name"]),
                "arguments": _history_arguments(function["arguments"]),
            },
        }


def _system(request: ModelRequest) -> list[bytes]:
    if not request.system:
        return []
    return [b"," + request_json({"role": "system", "content": request.system})]


def _beginning(opaque: Mapping[int, JsonObject], length: int) -> Mapping[int, JsonObject]:
    return {index: value for index, value in opaque.items() if index < length}


def _history_arguments(text: str) -> str:
    """Servers refuse a whole history for one call whose arguments are no JSON object."""
    cleaned = clean_arguments(text)
    return "{}" if parse_arguments(cleaned) is None else cleaned


def _wire_tool(tool: ToolDefinition) -> JsonObject:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": wire_schema(tool.parameters),
        },
    }
