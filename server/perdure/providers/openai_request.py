"""The body of a chat-completions request. Pure."""

from __future__ import annotations

import json

from perdure.core.arguments import parse_arguments
from perdure.core.declarations import ToolDefinition
from perdure.core.messages import AssistantMessage, Message
from perdure.core.text import without_lone_surrogates
from perdure.json_types import JsonObject
from perdure.providers.answers import clean_arguments
from perdure.providers.base import ModelRequest


def output_options(host: str, max_output_tokens: int | None) -> JsonObject:
    """Return the options that limit the answer, as they are sent.

    OpenAI's own models want ``max_completion_tokens``; most other servers know only the older
    ``max_tokens``.
    """
    if max_output_tokens is None:
        return {}
    key = "max_completion_tokens" if host == "api.openai.com" else "max_tokens"
    return {key: max_output_tokens}


def encode_request(request: ModelRequest, *, model: str, options: JsonObject) -> bytes:
    """Return the body of a streaming request. No lone surrogate reaches the wire."""
    messages: list[JsonObject] = []
    if request.system:
        messages.append({"role": "system", "content": request.system})
    messages += [_wire_message(message) for message in request.messages if _says_something(message)]
    body: JsonObject = {
        "model": model,
        "messages": [*messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        **options,
    }
    if request.tools:
        body["tools"] = [_wire_tool(tool) for tool in request.tools]
    return without_lone_surrogates(
        json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    ).encode()


def _says_something(message: Message) -> bool:
    return message["role"] != "assistant" or bool(message["content"] or message.get("tool_calls"))


def _wire_message(message: Message) -> JsonObject:
    match message["role"]:
        case "user":
            return {"role": "user", "content": message["content"]}
        case "assistant":
            return _wire_answer(message)
        case "tool":
            return {
                "role": "tool",
                "tool_call_id": message["tool_call_id"],
                "content": message["content"],
            }


def _wire_answer(message: AssistantMessage) -> JsonObject:
    answer: JsonObject = {"role": "assistant", "content": message["content"]}
    if "tool_calls" in message:
        answer["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {
                    "name": call["function"]["name"],
                    "arguments": _history_arguments(call["function"]["arguments"]),
                },
            }
            for call in message["tool_calls"]
        ]
    return answer


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
            "parameters": tool.parameters,
        },
    }
