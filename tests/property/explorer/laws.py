"""The laws: what must hold whenever something happens, whatever happened before.

Each law looks at one kind of moment and returns whether it holds. They are written down from the
promises of the format, not from the code: none of them asks the planner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar, assert_never

from tests.property.explorer.moments import (
    MOST_TURNS,
    Committed,
    Moment,
    Ran,
    Recovered,
    Refused,
    Requested,
    Rested,
    Sent,
    Told,
    TurnBegan,
    call_of,
)
from tests.property.explorer.requests import Commit

from perdure.core.facts import Fact
from perdure.core.plans import Blocked, CurrentTool
from perdure.core.reducer.transcript import NOTHING_WAITS, follow
from perdure.core.state import Idle, Run, ToolIntent

M = TypeVar("M")


class Broken(Exception):
    """A law does not hold. ``way`` are the names of moves within the present one."""

    def __init__(self, law: str, promise: str) -> None:
        super().__init__(f"{law}: {promise}")
        self.law = law
        self.way: tuple[str, ...] = ()


def check(moment: Moment, *, watched: str | None = None) -> None:
    """Ask the laws about this moment, or only the one that is ``watched``; raises ``Broken``."""
    match moment:
        case Requested():
            _ask(_OF_REQUESTS, moment, watched)
        case Committed():
            _ask(_OF_LOGS, moment, watched)
        case Refused():
            _ask(_OF_REFUSALS, moment, watched)
        case Sent():
            _ask(_OF_MODELS, moment, watched)
        case Ran():
            _ask(_OF_TOOLS, moment, watched)
        case Told():
            _ask(_OF_WORDS, moment, watched)
        case TurnBegan():
            _ask(_OF_TURNS, moment, watched)
        case Rested():
            _ask(_OF_ENDS, moment, watched)
        case Recovered():
            _ask(_OF_RECOVERIES, moment, watched)
        case _:
            assert_never(moment)


def _ask(laws: Iterable[Callable[[M], bool]], moment: M, watched: str | None) -> None:
    for law in laws:
        if watched in (None, law.__name__) and not law(moment):
            raise Broken(law.__name__, law.__doc__ or "")


# --- what a loop may ask for ------------------------------------------------------------------


def blocked_does_nothing(moment: Requested) -> bool:
    """Under another configuration or environment, or after attempt 2, nothing is asked for."""
    operation = moment.turn_began.state.operation
    if isinstance(operation, Idle) or operation.abort_requested or operation.step is None:
        return True
    now = moment.configuration
    recorded = moment.turn_began.state.header.environment_identity
    return (
        now is not None
        and operation.step.configuration_digest == now.current.configuration_digest
        and recorded == now.current.environment_identity
        and (operation.step.attempt == 1 or operation.step.status != "attempting")
    )


def abort_starts_nothing(moment: Requested) -> bool:
    """A turn that begins after a durable abort only commits."""
    operation = moment.turn_began.state.operation
    aborted = not isinstance(operation, Idle) and operation.abort_requested
    return not aborted or isinstance(moment.request, Commit)


# --- what may be in the log --------------------------------------------------------------------


def abort_wins(moment: Committed) -> bool:
    """After a durable abort nothing succeeds: no answer, no known result, no other terminal."""
    operation = moment.before.state.operation
    if isinstance(operation, Idle) or not operation.abort_requested:
        return True
    return not any(_is_success(fact) for fact in moment.facts)


def terminal_leaves_nothing_open(moment: Committed) -> bool:
    """A finished operation has no open attempt, and each of its calls has one result."""
    before, after = moment.before.state.operation, moment.after.state.operation
    if isinstance(before, Idle) or not isinstance(after, Idle):
        return True
    attempting = before.step is not None and before.step.status == "attempting"
    return not moment.after.ledger.unanswered and (not attempting or len(moment.facts) > 1)


def new_step_leaves_no_call_open(moment: Committed) -> bool:
    """When the model is asked again, each call it made before has one result."""
    attempts = any(
        fact["kind"] == "record" and fact["record"]["type"] == "stepAttempt"
        for fact in moment.facts
    )
    return not attempts or not moment.before.ledger.unanswered


def plan_is_admissible(moment: Refused) -> bool:
    """What a plan leads to is accepted, unless an abort became durable after the plan."""
    planned_for, now = moment.turn_began.state.operation, moment.log.state.operation
    return (
        moment.error.code == "ABORT_REQUESTED"
        and not isinstance(planned_for, Idle)
        and not planned_for.abort_requested
        and not isinstance(now, Idle)
        and now.abort_requested
    )


# --- what the model is sent --------------------------------------------------------------------


def transcript_is_legal(moment: Sent) -> bool:
    """Each call in a request has its result, each result its call."""
    waiting = NOTHING_WAITS
    for message in moment.messages:
        following = follow(waiting, message)
        if following is None:
            return False
        waiting = following
    return not waiting and len(moment.messages) > 0 and moment.messages[-1]["role"] != "assistant"


def retry_sends_the_same(moment: Sent) -> bool:
    """Attempt 2 sends what attempt 1 sent."""
    return moment.sent_before is None or list(moment.messages) == list(moment.sent_before)


def attempt_is_recorded_first(moment: Sent) -> bool:
    """A request is sent only while its attempt is open in the log."""
    operation = moment.log.state.operation
    return (
        not isinstance(operation, Idle)
        and operation.step is not None
        and operation.step.status == "attempting"
    )


# --- what tools do -----------------------------------------------------------------------------


def intent_is_recorded_first(moment: Ran) -> bool:
    """A tool takes effect only while its intent stands in the log without a result."""
    operation = moment.log.state.operation
    return isinstance(operation, Run) and moment.intent.tool_started_id in operation.pending


def never_intent_survives_power_cut(moment: Ran) -> bool:
    """The intent of a ``never`` tool is on stable storage before its effect."""
    least = moment.log.after_power_cut.ledger
    return moment.intent.replay == "safe" or least.intent(moment.intent.tool_started_id) is not None


def never_tool_runs_once(moment: Ran) -> bool:
    """No call of a ``never`` tool takes effect twice."""
    return moment.intent.replay == "safe" or call_of(moment.intent) not in moment.ran


def safe_tool_keeps_its_identity(moment: Ran) -> bool:
    """A tool runs again only as recorded: safe then and now, same key and environment."""
    if moment.turn_began.ledger.intent(moment.intent.tool_started_id) is None:
        return True
    now = moment.configuration.current
    return (
        moment.intent.replay == "safe"
        and _declared_as_recorded(moment.intent, now.tool(moment.intent.tool_name))
        and now.environment_identity == moment.intent.environment_identity
    )


# --- what was said, and how it ends ------------------------------------------------------------


def word_survives_power_cut(moment: Told) -> bool:
    """What the user was told, and what an abort stops, is on stable storage before."""
    said, least = moment.log.state.operation, moment.log.after_power_cut.state.operation
    if isinstance(said, Idle) or isinstance(least, Idle):
        return said == least
    same = said.operation_id == least.operation_id
    return same and said.abort_requested == least.abort_requested


def turn_makes_progress(moment: TurnBegan) -> bool:
    """Each turn leaves at least one more fact in the log."""
    return moment.log.state.next_seq > moment.before.state.next_seq


def loop_expects_everything(moment: Rested) -> bool:
    """A loop ends idle or blocked, never by an error."""
    return not isinstance(moment.rest.ending, Exception)


def loop_ends_idle_or_blocked(moment: Rested) -> bool:
    """Without a reason to be blocked, a loop goes on until the operation is finished."""
    return (moment.rest.ending is None) == isinstance(moment.log.state.operation, Idle)


def blocked_has_its_reason(moment: Rested) -> bool:
    """A loop is blocked only where something recorded is not so now; never by an abort."""
    operation, now = moment.log.state.operation, moment.configuration
    if not isinstance(moment.rest.ending, Blocked):
        return True
    if isinstance(operation, Idle) or operation.step is None or now is None:
        return False
    if operation.abort_requested:
        return False
    match moment.rest.ending.reason:
        case "configuration_changed":
            return operation.step.configuration_digest != now.current.configuration_digest
        case "environment_changed":
            recorded = moment.log.state.header.environment_identity
            return recorded != now.current.environment_identity
        case "attempts_exhausted":
            return operation.step.attempt == 2 and operation.step.status == "attempting"
        case "replay_declaration_changed":
            return isinstance(operation, Run) and not all(
                _declared_as_recorded(intent, now.current.tool(intent.tool_name))
                for intent in operation.intents
                if intent.tool_started_id in operation.pending
            )


def second_resume_does_nothing(moment: Rested) -> bool:
    """Resuming again asks for nothing and ends in the same way."""
    return moment.again is not None and moment.again.ending == moment.rest.ending


def terminal_survives_power_cut(moment: Rested) -> bool:
    """An operation is reported as finished only when its terminal is on stable storage."""
    idle = isinstance(moment.log.state.operation, Idle)
    least = moment.log.after_power_cut
    finished = isinstance(least.state.operation, Idle)
    return not idle or (finished and least.operations == moment.log.operations)


def recovery_converges(moment: Recovered) -> bool:
    """Left alone, a reopened operation is finished or blocked after a few turns."""
    return moment.turns <= MOST_TURNS


_OF_REQUESTS = (blocked_does_nothing, abort_starts_nothing)
_OF_LOGS = (abort_wins, terminal_leaves_nothing_open, new_step_leaves_no_call_open)
_OF_REFUSALS = (plan_is_admissible,)
_OF_MODELS = (transcript_is_legal, retry_sends_the_same, attempt_is_recorded_first)
_OF_TOOLS = (
    never_tool_runs_once,
    intent_is_recorded_first,
    never_intent_survives_power_cut,
    safe_tool_keeps_its_identity,
)
_OF_WORDS = (word_survives_power_cut,)
_OF_TURNS = (turn_makes_progress,)
_OF_ENDS = (
    loop_expects_everything,
    loop_ends_idle_or_blocked,
    blocked_has_its_reason,
    second_resume_does_nothing,
    terminal_survives_power_cut,
)
_OF_RECOVERIES = (recovery_converges,)

LAWS = frozenset(
    law.__name__
    for laws in (
        _OF_REQUESTS,
        _OF_LOGS,
        _OF_REFUSALS,
        _OF_MODELS,
        _OF_TOOLS,
        _OF_WORDS,
        _OF_TURNS,
        _OF_ENDS,
        _OF_RECOVERIES,
    )
    for law in laws
)
"""The names of all laws."""


def _declared_as_recorded(intent: ToolIntent, declared: CurrentTool | None) -> bool:
    """Tell whether a started call may be replayed, or is of the kind that never is."""
    if intent.replay == "never":
        return True
    return (
        declared is not None
        and declared.replay == "safe"
        and declared.replay_key == intent.replay_key
    )


def _is_success(fact: Fact) -> bool:
    if fact["kind"] == "usage":
        return False
    if fact["kind"] == "record":
        record = fact["record"]
        return record["type"] == "operationFinished" and record["outcome"] != "aborted"
    entry = fact["entry"]
    if entry["type"] == "compaction":
        return True
    if entry["message"]["role"] != "tool":
        return True
    return entry["result"]["type"] != "synthetic"
