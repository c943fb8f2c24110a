"""Runs whose calls of bash are known, for tests of what is decided about the next one."""

from __future__ import annotations

from tests.support.log import Log, session

from perdure.core.reducer import Reduced, reduce_session
from perdure.core.state import SessionState, ToolIntent

INTERRUPTED = "!"
"""Stands before a command that a crash cut short."""


def after(*commands: str) -> SessionState:
    """The state of a run that has called bash with these commands, one in each answer."""
    log = session().prompt()
    for command in commands:
        log = log.attempt().calls(("bash", {"command": command.removeprefix(INTERRUPTED)}))
        log = log.started(0)
        log = log.interrupted(0) if command.startswith(INTERRUPTED) else log.result(0)
    return state_of(log)


def state_of(log: Log) -> SessionState:
    """What the log means."""
    reduced = reduce_session(log.to_bytes())
    assert isinstance(reduced, Reduced), reduced
    return reduced.state


def intent(command: str, *, tool: str = "bash") -> ToolIntent:
    """A new call of bash, or of another tool with the same arguments."""
    return ToolIntent(
        operation_id="operation",
        tool_started_id="started",
        step_id="step",
        assistant_entry_id="answer",
        tool_index=0,
        tool_call_id="call_1",
        tool_name=tool,
        arguments={"command": command},
        replay="never",
        replay_key="builtin:bash:v1",
        environment_identity="/work",
        result_entry_id="result",
    )


IDLE = state_of(session())
