"""The body of a chat-completions request. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perdure.core.arguments import parse_arguments
from perdure.core.declarations import ToolDefinition
from perdure.core.messages import AssistantMessage, Call, Message
from perdure.core.state import Prefix
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
    """

    def __init__(self, *, model: str, options: JsonObject, dialect: Dialect) -> None:
        self._model = model
        self._options = options
        self._dialect = dialect
        self._messages: Sequence[Message] = ()
        self._opaque: Mapping[int, JsonObject] = {}
        self._written = bytearray()

    def encode(self, request: ModelRequest) -> bytes:
        """Return the body of a streaming request. No lone surrogate reaches the wire."""
        self._write(request)
        system = _system(request)
        others: JsonObject = {
            "stream": True,
            "stream_options": {"include_usage": True},
            **self._options,
        }
        if request.tools:
            others["tools"] = [_wire_tool(tool) for tool in request.tools]
        begin = request_json({"model": self._model}).removesuffix(b"}")
        comma = b"," if system and self._written else b""
        end = request_json(others).removeprefix(b"{")
        return b"".join((begin, b',"messages":[', system, comma, self._written, b"],", end))

    def _write(self, request: ModelRequest) -> None:
        """Write the messages that are new: all of them, unless the request goes on from the last.

        One that says nothing is left out.
        """
        known = len(self._messages)
        if not self._goes_on(request):
            known = 0
            self._written = bytearray()
        wire = _Wire(self._dialect)
        for index, message in enumerate(request.messages[known:], known):
            text = wire.message(message, request.opaque.get(index, {}))
            if text and self._written:
                self._written += b","
            self._written += text
        self._messages = request.messages
        self._opaque = request.opaque

    def _goes_on(self, request: ModelRequest) -> bool:
        messages, known = request.messages, len(self._messages)
        if _beginning(request.opaque, known) != self._opaque:
            return False
        if isinstance(messages, Prefix) and messages.continues(self._messages):
            return True
        return list(messages[:known]) == list(self._messages)


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


def _system(request: ModelRequest) -> bytes:
    if not request.system:
        return b""
    return request_json({"role": "system", "content": request.system})


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
