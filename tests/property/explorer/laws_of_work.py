"""Laws of a loop at work: what it asks for, sends and runs."""

from __future__ import annotations

from tests.property.explorer.moments import (
    Ran,
    Requested,
    Sent,
    call_of,
)
from tests.property.explorer.requests import Commit

from perdure.core.plans import CurrentTool
from perdure.core.reducer.transcript import NOTHING_WAITS, follow
from perdure.core.state import Idle, Run, ToolIntent

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
        and declared_as_recorded(moment.intent, now.tool(moment.intent.tool_name))
        and now.environment_identity == moment.intent.environment_identity
    )


def declared_as_recorded(intent: ToolIntent, declared: CurrentTool | None) -> bool:
    """Tell whether a started call may be replayed, or is of the kind that never is."""
    if intent.replay == "never":
        return True
    return (
        declared is not None
        and declared.replay == "safe"
        and declared.replay_key == intent.replay_key
    )
