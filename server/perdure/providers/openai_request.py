"""The body of a chat-completions request. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from perdure.core.arguments import parse_arguments
from perdure.core.declarations import ToolDefinition
from perdure.core.messages import AssistantMessage, Call, calls_of
from perdure.json_types import JsonObject
from perdure.providers.answers import clean_arguments
from perdure.providers.base import ModelRequest
from perdure.providers.openai_dialect import Dialect
from perdure.providers.openai_reasoning import extra_of_call, fields_of
from perdure.providers.request_json import request_json
from perdure.providers.tool_names import sent_name
from perdure.providers.tool_schema import wire_schema


def encode_request(
    request: ModelRequest, *, model: str, options: JsonObject, dialect: Dialect
) -> bytes:
    """Return the body of a streaming request. No lone surrogate reaches the wire."""
    messages: list[JsonObject] = []
    if request.system:
        messages.append({"role": "system", "content": request.system})
    messages += _History(request, dialect).messages()
    body: JsonObject = {
        "model": model,
        "messages": [*messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        **options,
    }
    if request.tools:
        body["tools"] = [_wire_tool(tool) for tool in request.tools]
    return request_json(body)


class _History:
    """The messages of one request, in the words of the service."""

    def __init__(self, request: ModelRequest, dialect: Dialect) -> None:
        self._request = request
        self._dialect = dialect
        calls = (call for message in request.messages for call in calls_of(message))
        self._call_ids = dialect.call_ids(call["id"] for call in calls)

    def messages(self) -> Iterator[JsonObject]:
        """Yield all that say something."""
        for index, message in enumerate(self._request.messages):
            match message["role"]:
                case "user":
                    yield {"role": "user", "content": message["content"]}
                case "assistant":
                    if message["content"] or message.get("tool_calls"):
                        yield self._answer(message, self._request.opaque.get(index, {}))
                case "tool":
                    call_id = message["tool_call_id"]
                    yield {
                        "role": "tool",
                        "tool_call_id": self._call_ids.get(call_id, call_id),
                        "content": message["content"],
                    }

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
            "id": self._call_ids[call["id"]],
            "type": "function",
            "function": {
                "name": sent_name(function["name"]),
                "arguments": _history_arguments(function["arguments"]),
            },
        }


@lru_cache(maxsize=4096)
def _history_arguments(text: str) -> str:
    """Servers refuse a whole history for one call whose arguments are no JSON object.

    Every request sends every call again, hence the cache.
    """
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
