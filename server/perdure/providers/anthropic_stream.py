"""From the events of Anthropic's Messages protocol to an ``Answer`` or a ``ProviderError``. Pure.

Events, blocks and deltas of unknown types are skipped. Without a stop reason and without
``message_stop`` the answer is not complete. The counts of tokens are cumulative, and later ones
may be missing, null or 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from perdure.core.text import without_lone_surrogates
from perdure.json_types import JsonObject, JsonValue
from perdure.providers.answers import build_answer
from perdure.providers.anthropic_blocks import Block, BlockType, opaque_of
from perdure.providers.assembler import Assembler
from perdure.providers.base import Answer, Delta, DeltaKind
from perdure.providers.origin import Origin
from perdure.providers.shapes import as_list, as_natural, as_object, as_text

CounterName: TypeAlias = Literal["input", "output", "cacheRead", "cacheWrite"]

_LENGTH = frozenset({"max_tokens", "model_context_window_exceeded"})
_DELTA_KINDS: dict[BlockType, DeltaKind] = {
    "text": "text",
    "thinking": "reasoning",
    "tool_use": "toolArguments",
}


class MessageAssembler(Assembler):
    """Takes events in order; ``answer`` or ``failure`` says what came of them."""

    def __init__(
        self,
        *,
        origin: Origin,
        new_call_id: Callable[[], str],
        on_delta: Callable[[Delta], None],
    ) -> None:
        super().__init__(origin)
        self._new_call_id = new_call_id
        self._on_delta = on_delta
        self._blocks: dict[int, Block] = {}
        self._stop_reason = ""

    def chunk(self, value: JsonObject) -> None:
        """Take one event. Raises ProviderError for an error in it."""
        if value.get("error"):
            raise self.error_event(value)
        match value.get("type"):
            case "message_start":
                self._count(as_object(value.get("message")).get("usage"))
            case "content_block_start":
                self._begin(as_natural(value.get("index")), as_object(value.get("content_block")))
            case "content_block_delta":
                self._delta(as_natural(value.get("index")), as_object(value.get("delta")))
            case "message_delta":
                self._stopped(as_object(value.get("delta")))
                self._count(value.get("usage"))
            case "message_stop":
                self.end()
            case "error":
                raise self.error_event(value)
            case _:
                return

    def document(self, value: JsonObject) -> bool:
        """Take a whole message; False when it is none. Raises ProviderError."""
        self.chunk(value)
        if value.get("type") != "message":
            return False
        for index, block in enumerate(as_list(value.get("content"))):
            self._begin(index, as_object(block))
        self._stopped(value)
        self._count(value.get("usage"))
        self.end()
        return True

    def answer(self) -> Answer:
        """Return the answer. Raises ProviderError when there is none that can be used."""
        if not self._stop_reason and not self.is_complete:
            raise self.failure(
                "stream_incomplete", f"The answer of {self._origin.host} broke off before its end"
            )
        if self._stop_reason == "refusal":
            raise self.failure("content_filter", f"{self._origin.host} refused to answer")
        calls = [block.call for block in self._ordered if block.type == "tool_use"]
        if any(not call.name for call in calls):
            raise self.failure("tool_call_malformed", "The model called a tool without a name")
        return build_answer(
            text=self._text,
            calls=calls,
            truncated=self._stop_reason in _LENGTH,
            usage=self._usage,
            new_call_id=self._new_call_id,
            opaque=opaque_of(self._ordered),
        )

    @property
    def _ordered(self) -> list[Block]:
        return [block for _, block in sorted(self._blocks.items())]

    @property
    def _text(self) -> str:
        return "".join(block.text for block in self._ordered if block.type == "text")

    @property
    def _partial(self) -> str:
        return without_lone_surrogates(self._text)

    def _begin(self, index: int, start: JsonObject) -> None:
        block = Block.of(start)
        if block is not None:
            self._blocks[index] = block
            self._show(block, block.text)

    def _delta(self, index: int, delta: JsonObject) -> None:
        block = self._blocks.get(index)
        if block is not None:
            self._show(block, block.add(delta))

    def _show(self, block: Block, text: str) -> None:
        kind = _DELTA_KINDS.get(block.type)
        if text and kind is not None:
            call_id = block.id or None
            self._on_delta(Delta(kind, without_lone_surrogates(text), call_id))

    def _stopped(self, value: JsonObject) -> None:
        self._stop_reason = as_text(value.get("stop_reason")) or self._stop_reason

    def _count(self, value: JsonValue) -> None:
        if not isinstance(value, dict):
            return
        known = self._usage or {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}

        def highest(key: CounterName, wire_key: str) -> int:
            return max(known[key], as_natural(value.get(wire_key)))

        self._usage = {
            "input": highest("input", "input_tokens"),
            "output": highest("output", "output_tokens"),
            "cacheRead": highest("cacheRead", "cache_read_input_tokens"),
            "cacheWrite": highest("cacheWrite", "cache_creation_input_tokens"),
        }
