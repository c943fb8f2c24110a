"""Attempts at a model request (session-format sections 7.3 and 7.4).

A step has attempt 1 and, only while that is open, attempt 2, which closes it; never a third.
A new step starts from the present boundary, and only after the one before it ended in tool use
and no intent is pending. The digest of an attempt is the digest of its own snapshot.
"""

from __future__ import annotations

from typing import Literal, cast

from perdure.core.canonical import digest
from perdure.core.ids import is_digest
from perdure.core.records import (
    ConfigurationSnapshot,
    OperationKind,
    StepAttempt,
    StepFailed,
    StepKind,
)
from perdure.core.reducer.books import Books
from perdure.core.reducer.fields import (
    Form,
    array,
    check_error,
    closed,
    digest_text,
    identifier,
    integer,
    one_of,
    reference,
    text,
)
from perdure.core.reducer.operations import live_operation
from perdure.core.reducer.outcome import Refusal
from perdure.core.state import Compaction, Run, Step
from perdure.json_types import JsonObject, JsonValue

_ATTEMPT = Form(*StepAttempt.__annotations__)
_FAILED = Form(*StepFailed.__annotations__)
_STEP_KINDS = ("assistant", "compaction")
_STEP_KIND_OF: dict[OperationKind, StepKind] = {"run": "assistant", "compaction": "compaction"}
_SNAPSHOT_TEXTS = ("model", "adapterIdentity", "routingIdentity")
_SNAPSHOT_DIGESTS = ("systemPromptDigest", "outputOptionsDigest")
_SNAPSHOT_KEYS = frozenset(ConfigurationSnapshot.__annotations__)
_TOOL_KEYS = frozenset({"name", "definitionDigest"})


def step_attempt(books: Books, _fact_id: str, record: JsonObject) -> None:
    """Open an attempt (7.3)."""
    _, run_id, step, attempt, kind, number, context, snapshot, recorded = _ATTEMPT.of(record)
    operation = live_operation(books, run_id)
    number = integer(number, minimum=1)
    is_first = number == 1
    step_id = (
        books.reserve(step, "identity") if is_first else identifier(step, books.first_attempts)
    )
    attempt_id = books.reserve(attempt, "identity")
    step_kind = one_of(kind, _STEP_KINDS)
    if number > 2:
        raise Refusal("INVALID_FACT")
    if step_kind != _STEP_KIND_OF[operation.kind]:
        raise Refusal("INVALID_TRANSITION")
    context_id = reference(context, books.entries)
    if is_first and context_id != books.now.boundary:
        raise Refusal("INVALID_TRANSITION")
    opened = Step(
        operation.operation_id,
        step_id,
        attempt_id,
        cast("Literal[1, 2]", number),
        step_kind,
        "attempting",
        context_id,
        *_configuration(books, snapshot, recorded),
    )
    if is_first:
        _check_new_step(operation)
        books.first_attempts[step_id] = attempt_id
    else:
        _close_first_attempt(books, opened)
    books.attempts[attempt_id] = opened
    books.now.operation = operation.with_step(opened)


def step_failed(books: Books, _fact_id: str, record: JsonObject) -> None:
    """Close an attempt without an answer (7.4); the open attempt is always the current one."""
    _, operation_id, step_id, attempt_id, error = _FAILED.of(record)
    operation = live_operation(books, operation_id)
    failed_id = identifier(attempt_id)
    check_error(error)
    step = operation.step
    if step is None or step.status != "attempting" or step.attempt_id != failed_id:
        raise Refusal("INVALID_REFERENCE")
    if step.step_id != step_id:
        raise Refusal("INVALID_REFERENCE")
    books.closed[failed_id] = None
    books.now.operation = operation.with_step(step._replace(status="failed"))


def _check_new_step(operation: Run | Compaction) -> None:
    """Apply rows 10 and 11; that the step id is new was proved by reserving it."""
    step = operation.step
    if step is None:
        return
    if step.stop_reason != "toolUse" or isinstance(operation, Compaction) or operation.pending:
        raise Refusal("INVALID_TRANSITION")


def _close_first_attempt(books: Books, second: Step) -> None:
    """Apply row 12. An attempt 1 that is not closed has no successor either."""
    first_id = books.first_attempts.get(second.step_id)
    if first_id is None or first_id in books.closed:
        raise Refusal("INVALID_TRANSITION")
    repeated = books.attempts[first_id]._replace(attempt_id=second.attempt_id, attempt=2)
    if repeated != second:
        raise Refusal("INVALID_TRANSITION")
    books.closed[first_id] = None


def _configuration(
    books: Books, snapshot: JsonValue, recorded: JsonValue
) -> tuple[ConfigurationSnapshot, str]:
    """Apply row 9. Attempts mostly repeat the configuration of the one before."""
    known = books.now.configuration
    if known is not None and known[1] == recorded and known[0] == snapshot:
        return known
    _check_snapshot(snapshot)
    if not is_digest(recorded) or digest(snapshot) != recorded:
        raise Refusal("INVALID_FACT")
    configuration = (cast(ConfigurationSnapshot, snapshot), recorded)
    books.now.configuration = configuration
    return configuration


def _check_snapshot(value: JsonValue) -> None:
    snapshot = closed(value, _SNAPSHOT_KEYS)
    for key in _SNAPSHOT_TEXTS:
        text(snapshot.get(key))
    for key in _SNAPSHOT_DIGESTS:
        digest_text(snapshot.get(key))
    tools = array(snapshot.get("tools"))
    names = {_tool_name(tool) for tool in tools}
    if len(names) != len(tools):
        raise Refusal("INVALID_FACT")


def _tool_name(value: JsonValue) -> str:
    tool = closed(value, _TOOL_KEYS)
    digest_text(tool.get("definitionDigest"))
    return text(tool.get("name"))
