"""From the chunks of a chat completion to an ``Answer`` or a ``ProviderError``. Pure.

A status of 200 proves nothing and ``finish_reason`` alone is not to be trusted:

* an ``error`` may stand at the top, in the choice, or in an event of that name;
* calls mean tool use and no calls mean none, whatever the reason says, except ``length``, the
  filters and the errors;
* without any reason and without ``[DONE]`` the answer is not complete.
"""

from __future__ import annotations

from collections.abc import Callable

from perdure.core.arguments import parse_arguments
from perdure.core.text import without_lone_surrogates
from perdure.json_types import JsonObject, JsonValue
from perdure.providers.answers import build_answer
from perdure.providers.assembler import Assembler
from perdure.providers.base import Answer, Delta, DeltaKind, ErrorCode
from perdure.providers.openai_calls import CallAssembler
from perdure.providers.openai_reasoning import ReasoningData
from perdure.providers.openai_usage import usage_of_chunk
from perdure.providers.origin import Origin
from perdure.providers.shapes import as_list, as_object, as_text

_LENGTH = frozenset({"length", "max_tokens", "model_length", "model_context_window_exceeded"})
_FAILURES: dict[str, ErrorCode] = {
    "content_filter": "content_filter",
    "sensitive": "content_filter",
    "error": "server",
    "network_error": "server",
    "abort": "server",
    "malformed_function_call": "tool_call_malformed",
}


class ChatAssembler(Assembler):
    """Takes chunks in order; ``answer`` or ``failure`` says what came of them."""

    def __init__(
        self,
        *,
        origin: Origin,
        max_output_tokens: int | None,
        new_call_id: Callable[[], str],
        on_delta: Callable[[Delta], None],
    ) -> None:
        super().__init__(origin)
        self._max_output_tokens = max_output_tokens
        self._new_call_id = new_call_id
        self._on_delta = on_delta
        self._text: list[str] = []
        self._calls = CallAssembler()
        self._finish = ""
        self._reasoning = ReasoningData()

    def chunk(self, value: JsonObject) -> None:
        """Take one chunk. Raises ProviderError for an error in it."""
        self._usage = usage_of_chunk(value) or self._usage
        self._raise_error(value.get("error"))
        if value.get("object") == "error" or value.get("type") == "error":
            raise self.error_event(value)
        for choice in map(as_object, as_list(value.get("choices"))):
            if choice.get("index") in (0, None):
                self._choice(choice)

    def document(self, value: JsonObject) -> bool:
        """Take a whole completion; False when it is none. Raises ProviderError."""
        self.chunk(value)
        self.is_complete = bool(as_list(value.get("choices")))
        return self.is_complete

    def answer(self) -> Answer:
        """Return the answer. Raises ProviderError when there is none that can be used."""
        reason = self._finish.lower()
        if not reason and not self.is_complete:
            raise self.failure(
                "stream_incomplete", f"The answer of {self._origin.host} broke off before its end"
            )
        if reason in _FAILURES:
            raise self.failure(
                _FAILURES[reason], f"{self._origin.host} ended the answer with {self._finish!r}"
            )
        calls = self._calls.calls
        if any(not call.name for call in calls):
            raise self.failure("tool_call_malformed", "The model called a tool without a name")
        return build_answer(
            text="".join(self._text),
            calls=calls,
            truncated=reason in _LENGTH or self._was_cut_silently(),
            usage=self._usage,
            new_call_id=self._new_call_id,
            opaque=self._reasoning.opaque(self._calls.extras),
        )

    @property
    def _partial(self) -> str:
        return without_lone_surrogates("".join(self._text))

    def _was_cut_silently(self) -> bool:
        """Some servers report arguments cut by the token limit as complete tool calls."""
        calls = self._calls.calls
        if not calls or self._max_output_tokens is None or self._usage is None:
            return False
        at_limit = self._usage["output"] >= self._max_output_tokens
        return at_limit and parse_arguments(calls[-1].arguments or "{}") is None

    def _raise_error(self, value: JsonValue) -> None:
        if value:
            raise self.error_event(value)

    def _choice(self, choice: JsonObject) -> None:
        self._finish = as_text(choice.get("finish_reason")) or self._finish
        if "delta" in choice:
            self._delta(as_object(choice["delta"]))
        else:
            self._message(as_object(choice.get("message")))
        self._raise_error(choice.get("error"))

    def _message(self, message: JsonObject) -> None:
        """A whole message is a delta in which each call stands by itself."""
        calls = [as_object(call) for call in as_list(message.get("tool_calls"))]
        numbered: list[JsonValue] = [{**call, "index": i} for i, call in enumerate(calls)]
        self._delta({**message, "tool_calls": numbered})

    def _delta(self, delta: JsonObject) -> None:
        self._reasoning.add(delta)
        self._show("reasoning", _reasoning(delta))
        for text in (_content(delta.get("content")), as_text(delta.get("refusal"))):
            self._text.append(text)
            self._show("text", text)
        for fragment in as_list(delta.get("tool_calls")):
            self._fragment(as_object(fragment))
        if legacy := delta.get("function_call"):
            self._fragment({"index": 0, "function": legacy})

    def _fragment(self, fragment: JsonObject) -> None:
        call, added = self._calls.add(fragment)
        self._show("toolArguments", added, call.id or None)

    def _show(self, kind: DeltaKind, text: str, call_id: str | None = None) -> None:
        if text:
            self._on_delta(Delta(kind, without_lone_surrogates(text), call_id))


def _content(content: JsonValue) -> str:
    """Content is text, or parts of which some are text."""
    if isinstance(content, str):
        return content
    return "".join(as_text(as_object(part).get("text")) for part in as_list(content))


def _reasoning(delta: JsonObject) -> str:
    """Some servers send the same reasoning in two fields; others as parts of the content."""
    text = as_text(delta.get("reasoning_content")) or as_text(delta.get("reasoning"))
    parts = map(as_object, as_list(delta.get("content")))
    return text or "".join(_content(part.get("thinking")) for part in parts)
