"""The content blocks of an answer in Anthropic's Messages protocol. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from perdure.core.arguments import parse_arguments
from perdure.json_types import JsonObject
from perdure.providers.answers import DraftCall
from perdure.providers.shapes import as_object, as_text

BlockType: TypeAlias = Literal["text", "thinking", "redacted_thinking", "tool_use"]
_TYPES: dict[str, BlockType] = {
    "text": "text",
    "thinking": "thinking",
    "redacted_thinking": "redacted_thinking",
    "tool_use": "tool_use",
}
_GROWS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": "partial_json",
}


@dataclass(slots=True)
class Block:
    """A block so far. ``text`` is text, thinking or the JSON of a call's input."""

    type: BlockType
    start: JsonObject
    text: str
    signature: str = ""

    @staticmethod
    def of(start: JsonObject) -> Block | None:
        """Return the block that begins like this, None for a type that is not known."""
        block_type = _TYPES.get(as_text(start.get("type")))
        match block_type:
            case None:
                return None
            case "text" | "thinking":
                text = as_text(start.get(block_type))
                return Block(block_type, start, text, as_text(start.get("signature")))
            case _:
                return Block(block_type, start, "")

    def add(self, delta: JsonObject) -> str:
        """Take a delta and return the text that it added for display."""
        key = _GROWS.get(as_text(delta.get("type")))
        if key is None:
            return ""
        added = as_text(delta.get(key))
        if key == "signature":
            self.signature += added
            return ""
        self.text += added
        return added

    @property
    def id(self) -> str:
        """The id of a call."""
        return as_text(self.start.get("id"))

    @property
    def call(self) -> DraftCall:
        """A block of type ``tool_use`` as a call; some servers give the whole input at once."""
        given = as_object(self.start.get("input"))
        arguments = self.text or (json.dumps(given) if given else "")
        return DraftCall(self.id, as_text(self.start.get("name")), arguments)

    def original(self) -> JsonObject | None:
        """Return the block as the server would have sent it whole, None when it cannot be."""
        match self.type:
            case "text":
                return {"type": "text", "text": self.text}
            case "thinking":
                return {"type": "thinking", "thinking": self.text, "signature": self.signature}
            case "redacted_thinking":
                return dict(self.start)
            case "tool_use":
                arguments = parse_arguments(self.call.arguments or "{}")
                return None if arguments is None else {**self.start, "input": arguments}


def opaque_of(blocks: Iterable[Block]) -> JsonObject | None:
    """Return the blocks to send back as they came: thinking that led to calls, else None."""
    kept = [block for block in blocks if block.type != "text" or block.text.strip()]
    types = {block.type for block in kept}
    originals = [block.original() for block in kept]
    if "tool_use" not in types or not types & {"thinking", "redacted_thinking"}:
        return None
    return None if None in originals else {"content": [*originals]}
