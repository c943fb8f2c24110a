"""What a chat-completions server must be given back unchanged with an answer it gave. Pure.

Beside the reasoning fields of the message it is what stands at a call and nobody here
understands: ``extra_content``, which holds Gemini's thought signatures. The form kept is
``{"reasoning_content"?, "reasoning_details"?, "tool_calls"?: [{"extra_content"?}, …]}``.
"""

from __future__ import annotations

from typing import Final

from perdure.json_types import JsonObject, JsonValue
from perdure.providers.shapes import as_list, as_object

_GROWING: Final = ("text", "summary", "data")


class ReasoningData:
    """Collects it from the deltas of one answer."""

    def __init__(self) -> None:
        self._content: str | None = None
        self._details: list[JsonObject] = []

    def add(self, delta: JsonObject) -> None:
        """Take a delta, or a whole message."""
        content = delta.get("reasoning_content")
        if isinstance(content, str):
            self._content = (self._content or "") + content
        for detail in map(as_object, as_list(delta.get("reasoning_details"))):
            self._detail(detail)

    def opaque(self, calls: list[JsonObject]) -> JsonObject | None:
        """Return it with the extra fields of each call, None when there is nothing to keep.

        Only an answer with calls needs it: the model goes on thinking where it called a tool.
        """
        if not calls:
            return None
        opaque: JsonObject = {}
        if self._content is not None:
            opaque["reasoning_content"] = self._content
        if self._details:
            opaque["reasoning_details"] = [*self._details]
        if any(calls):
            opaque["tool_calls"] = [*calls]
        return opaque or None

    def _detail(self, detail: JsonObject) -> None:
        """Fragments of one index are one detail: texts grow, other fields are set once."""
        last = self._details[-1] if self._details else None
        is_next = last is not None and all(
            detail.get(key) is not None and last.get(key) == detail[key]
            for key in ("index", "type")
        )
        if last is None or not is_next:
            self._details.append(dict(detail))
            return
        for key, value in detail.items():
            last[key] = _grown(key, last.get(key), value)


def fields_of(opaque: JsonObject) -> JsonObject:
    """Return the fields that go back with the message itself."""
    keys = ("reasoning_content", "reasoning_details")
    return {key: opaque[key] for key in keys if key in opaque}


def extra_of_call(opaque: JsonObject, index: int) -> JsonObject:
    """Return the fields that go back with the call at ``index``."""
    calls = as_list(opaque.get("tool_calls"))
    return as_object(calls[index]) if index < len(calls) else {}


def _grown(key: str, known: JsonValue, value: JsonValue) -> JsonValue:
    if key in _GROWING and isinstance(known, str) and isinstance(value, str):
        return known + value
    return known if value is None else value
