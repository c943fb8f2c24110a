"""From the parts of a finished answer to the normal form that ``Answer`` promises."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perdure.core.codec import MAX_READ_DEPTH, nesting
from perdure.core.facts import UsageCounters
from perdure.core.messages import AssistantMessage, Call, StopReason
from perdure.core.text import without_lone_surrogates
from perdure.json_types import JsonObject
from perdure.providers.base import Answer

_ESCAPE = re.compile(
    r"(\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})"  # a pair: an emoji
    r"|(\\u[dD][89a-fA-F][\da-fA-F]{2})"  # half of one
    r"|\\.",
    re.DOTALL,
)
_NO_ARGUMENTS = frozenset({"", "null"})
_NO_ID = frozenset({"", "null"})


@dataclass(frozen=True, slots=True)
class DraftCall:
    """A call as it was received: the id may be empty or taken, the arguments any text."""

    id: str
    name: str
    arguments: str


def build_answer(
    *,
    text: str,
    calls: Sequence[DraftCall],
    truncated: bool,
    usage: UsageCounters | None,
    new_call_id: Callable[[], str],
    opaque: JsonObject | None = None,
) -> Answer:
    """Return the answer in its normal form.

    ``truncated`` says that the model ran into its token limit: its calls are kept and never run.
    ``new_call_id`` names calls whose id is missing or already used in this message.
    ``opaque`` is what the model wants back with this answer; given up where it is nested so deeply
    that it could not be kept.
    """
    message: AssistantMessage = {"role": "assistant", "content": without_lone_surrogates(text)}
    if calls:
        message["tool_calls"] = _normal_calls(calls, new_call_id)
        if not text:
            message["content"] = None
    stop: StopReason = "length" if truncated else "toolUse" if calls else "stop"
    kept = opaque if opaque is not None and nesting(opaque) <= MAX_READ_DEPTH else None
    return Answer(message=message, stop_reason=stop, usage=usage, opaque=kept)


def clean_arguments(text: str) -> str:
    """Return JSON text without lone surrogates, escaped or not; other text stays as it is."""
    return _ESCAPE.sub(
        lambda match: r"\ufffd" if match[2] else match[0], without_lone_surrogates(text)
    )


def _normal_calls(calls: Sequence[DraftCall], new_call_id: Callable[[], str]) -> list[Call]:
    given = {call.id for call in calls}
    used: set[str] = set()
    normal: list[Call] = []
    for call in calls:
        call_id = without_lone_surrogates(call.id)
        if call_id in _NO_ID or call_id in used:
            call_id = _fresh(new_call_id, given | used)
        used.add(call_id)
        arguments = (
            "{}" if call.arguments.strip() in _NO_ARGUMENTS else clean_arguments(call.arguments)
        )
        normal.append(
            {
                "id": call_id,
                "type": "function",
                "function": {"name": without_lone_surrogates(call.name), "arguments": arguments},
            }
        )
    return normal


def _fresh(new_call_id: Callable[[], str], taken: set[str]) -> str:
    candidate = new_call_id()
    while candidate in taken:
        candidate = new_call_id()
    return candidate
