"""What a model server that speaks Anthropic's Messages protocol answers, as data."""

from __future__ import annotations

import json

from tests.support.model_replies import Reply

from perdure.json_types import JsonObject

THINKING: JsonObject = {"type": "thinking", "thinking": "Hm.", "signature": "SIG"}


def message_reply(*blocks: JsonObject) -> Reply:
    """Return a whole answer of these content blocks, streamed."""
    calls = any(block["type"] == "tool_use" for block in blocks)
    starts: list[JsonObject] = [
        {"type": "content_block_start", "index": index, "content_block": block}
        for index, block in enumerate(blocks)
    ]
    events: list[JsonObject] = [
        {"type": "message_start", "message": {"usage": {"input_tokens": 10, "output_tokens": 1}}},
        *starts,
        {"type": "message_delta", "delta": {"stop_reason": "tool_use" if calls else "end_turn"}},
        {"type": "message_stop"},
    ]
    return Reply(parts=tuple(f"data: {json.dumps(event)}\n\n".encode() for event in events))


def use_block(call_id: str, command: str) -> JsonObject:
    """Return a call of ``bash``."""
    return {"type": "tool_use", "id": call_id, "name": "bash", "input": {"command": command}}


def text_block(text: str) -> JsonObject:
    """Return a piece of text."""
    return {"type": "text", "text": text}
