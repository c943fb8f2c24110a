"""Laws of what is in the log, what was said of it, and how operations end."""

from __future__ import annotations

from tests.property.explorer.laws_of_work import declared_as_recorded
from tests.property.explorer.moments import (
    MOST_TURNS,
    CommandRefused,
    Committed,
    Recovered,
    Refused,
    Reopened,
    Rested,
    Told,
    TurnBegan,
)

from perdure.core.facts import Fact
from perdure.core.plans import Blocked
from perdure.core.reducer import Reduced, reduce_session
from perdure.core.state import Idle, Run

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


def command_is_accepted(_: CommandRefused) -> bool:
    """The user can prompt and compact an idle session, and abort whatever is unfinished."""
    return False


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
                declared_as_recorded(intent, now.current.tool(intent.tool_name))
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


def bytes_mean_the_same(moment: Reopened) -> bool:
    """The whole file reduces to the state that its transactions led to one by one."""
    reduced = reduce_session(b"".join(reversed(list(moment.log.text()))))
    return reduced == Reduced(moment.log.state)


def recovery_converges(moment: Recovered) -> bool:
    """Left alone, a reopened operation is finished or blocked after a few turns."""
    return moment.turns <= MOST_TURNS


def _is_success(fact: Fact) -> bool:
    if fact["kind"] == "usage":
        return False
    if fact["kind"] == "record":
        record = fact["record"]
        return record["type"] == "operationFinished" and record["outcome"] != "aborted"
    entry = fact["entry"]
    if entry["type"] == "compaction":
        return True
    match entry["message"]["role"]:
        case "user":
            return False
        case "assistant":
            return True
        case "tool":
            return entry["result"]["type"] != "synthetic"
