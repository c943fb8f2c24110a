"""What the model is shown, and which of its calls still wait for a result.

Both cost as much as the current turn, never as the whole history.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from perdure.core.messages import AssistantMessage, Call, Message, StopReason, calls_of
from perdure.core.state import Prefix, Run, SessionState, ToolIntent


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call without a result; ``intent`` is its ``toolStarted`` record, if it was started."""

    assistant_entry_id: str
    index: int
    call: Call
    intent: ToolIntent | None


@dataclass(frozen=True, slots=True)
class Turn:
    """The settled answer of a run's current step, with its open calls in index order."""

    entry_id: str
    stop_reason: StopReason
    message: AssistantMessage
    open_calls: tuple[OpenCall, ...]


def current_turn(state: SessionState) -> Turn | None:
    """Return the answer that the run works on; None unless the current step is settled.

    The turn is the *last* assistant message, with or without calls (section 14.3), and a call is
    answered by a tool message after it that carries the call's id.
    """
    match state.operation:
        case Run(step=step, intents=intents) if step is not None:
            entry_id, stop_reason = step.settled_entry_id, step.stop_reason
        case _:
            return None
    if entry_id is None or stop_reason is None:
        return None
    message, answered = _last_answer(state.transcript)
    return Turn(entry_id, stop_reason, message, _open(entry_id, message, answered, intents))


def open_calls(state: SessionState) -> tuple[OpenCall, ...]:
    """Return the unanswered calls of the current turn in index order, empty when there are none."""
    turn = current_turn(state)
    return () if turn is None else turn.open_calls


def model_messages(state: SessionState) -> Sequence[Message]:
    """Return the messages of the request that the open attempt sends, without system message.

    That is the active context through the step's ``contextThroughEntryId``: a second attempt
    sends what the first one sent, also when a user entry was added between them. Without an open
    attempt it is the whole active context.
    """
    step = None if state.operation.kind == "idle" else state.operation.step
    if step is None or step.status != "attempting":
        return state.active_context
    if step.context_through_entry_id == state.boundary:
        return state.active_context
    later = messages_after(state, step.context_through_entry_id)
    return state.active_context[: len(state.active_context) - later]


def messages_after(state: SessionState, entry_id: str) -> int:
    """Return how many source entries stand after ``entry_id``, counted from the end."""
    return sum(1 for _ in takewhile(lambda source: source != entry_id, reversed(state.source_ids)))


def _last_answer(transcript: Prefix[Message]) -> tuple[AssistantMessage, frozenset[str]]:
    """Return the last assistant message and the call ids answered after it."""
    answered = set[str]()
    for message in reversed(transcript):
        if message["role"] == "assistant":
            return message, frozenset(answered)
        if message["role"] == "tool":
            answered.add(message["tool_call_id"])
    raise LookupError("a settled step has an assistant message in the transcript")


def _open(
    entry_id: str, message: AssistantMessage, answered: frozenset[str], intents: Prefix[ToolIntent]
) -> tuple[OpenCall, ...]:
    """Pair the unanswered calls with their intents, which are the run's last ones."""
    own = takewhile(lambda intent: intent.assistant_entry_id == entry_id, reversed(intents))
    started = {intent.tool_index: intent for intent in own}
    return tuple(
        OpenCall(entry_id, index, call, started.get(index))
        for index, call in enumerate(calls_of(message))
        if call["id"] not in answered
    )
