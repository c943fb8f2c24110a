"""When two logs are the same to whatever may still happen.

Ids, texts and counts of tokens are left out; so are attempts and results of turns that are over.
What stays: the roles in the active context, the unfinished operation with its step, each call of
the present turn with what became of it, and how often the model has gone in a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeAlias

from tests.property.explorer.logs import Log

from perdure.core.constants import SYNTHETIC_TEXT
from perdure.core.context import messages_after
from perdure.core.messages import Call, Message, calls_of
from perdure.core.state import Compaction, Idle, Run, SessionState, Step, ToolIntent

Shape: TypeAlias = Hashable

_REFUSED = {SYNTHETIC_TEXT["unknownTool"], SYNTHETIC_TEXT["invalidArguments"]}
_LETTERS = {"user": "u", "assistant": "a", "tool": "t"}


def shape_of(log: Log) -> Shape:
    """Return what tells this log from others. Costs as much as the active context is long."""
    state = log.state
    operation = state.operation
    roles = "".join([_LETTERS[message["role"]] for message in state.active_context])
    match operation:
        case Idle():
            return log.operations, roles, log.added
        case Compaction():
            return (
                log.operations,
                roles,
                log.added,
                operation.abort_requested,
                _step(state, operation.step),
            )
        case Run():
            return (
                log.operations,
                roles,
                log.added,
                operation.abort_requested,
                log.steps,
                _step(state, operation.step),
                _calls(state, operation),
                _circles(state) if log.steps > 1 else (),
            )


class Shapes:
    """Numbers shapes, so that they are small and quickly compared."""

    def __init__(self, shape: Callable[[Log], Shape] = shape_of) -> None:
        self._shape = shape
        self._numbers: dict[Shape, int] = {}

    def number(self, log: Log) -> int:
        """Return the number of the log's shape."""
        if log.shape is None:
            log.shape = self._numbers.setdefault(self._shape(log), len(self._numbers))
        return log.shape

    def __len__(self) -> int:
        return len(self._numbers)


def _step(state: SessionState, step: Step | None) -> Shape:
    if step is None:
        return None
    later = messages_after(state, step.context_through_entry_id)
    return step.attempt, step.status, step.stop_reason, step.configuration_digest, later


def _calls(state: SessionState, run: Run) -> Shape:
    """Return the calls of the last answer: what they ask for and what became of them."""
    if run.step is None or run.step.status == "attempting":
        return ()
    results: dict[str, str] = {}
    for message in reversed(state.transcript):
        if message["role"] == "tool":
            results[message["tool_call_id"]] = message["content"]
            continue
        started = {
            intent.tool_index: intent
            for intent in run.intents
            if intent.assistant_entry_id == run.step.settled_entry_id
        }
        return tuple(
            (_asked(call), results.get(call["id"]), _intent(started.get(index)))
            for index, call in enumerate(calls_of(message))
        )
    return ()


def _asked(call: Call) -> tuple[str, str]:
    return call["function"]["name"], call["function"]["arguments"]


def _intent(intent: ToolIntent | None) -> Shape:
    if intent is None:
        return None
    return intent.replay, intent.replay_key, intent.environment_identity


def _circles(state: SessionState) -> Shape:
    """Return the calls of the turns at the end that are alike and were all refused."""
    turns: list[Shape] = []
    for message in reversed(state.transcript):
        if message["role"] == "tool":
            if message["content"] not in _REFUSED:
                break
            continue
        asked = _all_asked(message)
        if not asked or (turns and asked != turns[0]):
            break
        turns.append(asked)
    return len(turns), turns[0] if turns else ()


def _all_asked(message: Message) -> tuple[tuple[str, str], ...]:
    return tuple(_asked(call) for call in calls_of(message))
