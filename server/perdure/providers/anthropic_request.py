"""The body of a request in Anthropic's Messages protocol. Pure.

``anthropic_history`` turns the messages into turns. Up to four places are marked for the prompt
cache: the last tool, the system prompt and the last two user turns, so that each request reads
what the one before it wrote.
"""

from __future__ import annotations

from perdure.core.declarations import ToolDefinition
from perdure.json_types import JsonObject
from perdure.providers.anthropic_history import wire_turns
from perdure.providers.base import ModelRequest
from perdure.providers.request_json import request_json
from perdure.providers.shapes import as_list
from perdure.providers.tool_schema import wire_schema

_MARKED_TURNS = 2


def encode_request(request: ModelRequest, *, model: str, options: JsonObject) -> bytes:
    """Return the body of a streaming request. No lone surrogate reaches the wire."""
    turns = wire_turns(request.messages, request.opaque)
    for turn in [turn for turn in turns if turn["role"] == "user"][-_MARKED_TURNS:]:
        _mark_last(turn)
    body: JsonObject = {"model": model, **options, "stream": True}
    if request.system:
        body["system"] = [_marked({"type": "text", "text": request.system})]
    if request.tools:
        *others, last = map(_wire_tool, request.tools)
        body["tools"] = [*others, _marked(last)]
    body["messages"] = [*turns]
    return request_json(body)


def _mark_last(turn: JsonObject) -> None:
    *others, last = as_list(turn["content"])
    if isinstance(last, dict):
        turn["content"] = [*others, _marked(last)]


def _marked(block: JsonObject) -> JsonObject:
    return {**block, "cache_control": {"type": "ephemeral"}}


def _wire_tool(tool: ToolDefinition) -> JsonObject:
    schema = wire_schema(tool.parameters)
    return {"name": tool.name, "description": tool.description, "input_schema": schema}
