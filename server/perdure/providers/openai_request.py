"""The body of a chat-completions request. Pure."""

from __future__ import annotations

from typing import TypeAlias

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

_Written: TypeAlias = tuple[Message, JsonObject | None, bytes]


class Encoder:
    """Writes requests, each of which sends the messages of the one before it again.

    It keeps the bytes of the latest messages by identity: neither a message nor what came with it
    ever changes.
    """

    def __init__(self, *, model: str, options: JsonObject, dialect: Dialect) -> None:
        self._model = model
        self._options = options
        self._dialect = dialect
        self._latest: dict[int, _Written] = {}

    def encode(self, request: ModelRequest) -> bytes:
        """Return the body of a streaming request. No lone surrogate reaches the wire."""
        messages = self._messages(request)
        if request.system:
            messages.insert(0, request_json({"role": "system", "content": request.system}))
        others: JsonObject = {
            "stream": True,
            "stream_options": {"include_usage": True},
            **self._options,
        }
        if request.tools:
            others["tools"] = [_wire_tool(tool) for tool in request.tools]
        begin = request_json({"model": self._model}).removesuffix(b"}")
        end = request_json(others).removeprefix(b"{")
        return b"".join([begin, b',"messages":[', b",".join(messages), b"],", end])

    def _messages(self, request: ModelRequest) -> list[bytes]:
        """Return all messages that say something."""
        before, self._latest = self._latest, {}
        wire = _Wire(self._dialect)
        found = []
        for index, message in enumerate(request.messages):
            opaque = request.opaque.get(index)
            written = before.get(id(message))
            if written is None or written[1] is not opaque:
                written = message, opaque, wire.message(message, opaque or {})
            self._latest[id(message)] = written
            found.append(written[2])
        return [text for text in found if text]


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
