"""What a driver does with plans, without disk, model or tools (section 17.1).

The model always answers ``done``, a tool always ``ok``, and no settlement carries its terminal,
so that every row of the planner's table is reached.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from tests.support.wire import ZERO_DIGEST, encode, sha256, uid

from perdure.agent import records
from perdure.core.compaction import summary_work
from perdure.core.entries import Entry
from perdure.core.facts import Draft
from perdure.core.plans import (
    AppendSynthetic,
    Blocked,
    CloseAttempt,
    CurrentConfiguration,
    CurrentTool,
    Finish,
    StartStep,
    StartTool,
)
from perdure.core.records import ConfigurationSnapshot, Replay
from perdure.core.recovery import plan_recovery
from perdure.core.reducer import Reduced, reduce_session
from perdure.core.state import Compaction, Idle, Run, SessionState, Step, ToolIntent
from perdure.json_types import JsonValue

SNAPSHOT: ConfigurationSnapshot = {
    "model": "test/model",
    "systemPromptDigest": ZERO_DIGEST,
    "tools": [],
    "adapterIdentity": "demo:scripted:v1",
    "routingIdentity": "demo:scripted",
    "outputOptionsDigest": ZERO_DIGEST,
}


def state_of(data: bytes) -> SessionState:
    """Reduce bytes that must be a session."""
    result = reduce_session(data)
    assert isinstance(result, Reduced), result
    return result.state


def step_of(state: SessionState) -> Step | None:
    """Return the current step."""
    return None if isinstance(state.operation, Idle) else state.operation.step


def matching(state: SessionState) -> CurrentConfiguration:
    """Return the configuration that the session recorded."""
    step = step_of(state)
    snapshot = SNAPSHOT if step is None else step.configuration_snapshot
    return CurrentConfiguration(
        configuration_digest=sha256({**snapshot}),  # type: ignore[dict-item]
        environment_identity=state.header.environment_identity,
        tools=tuple(
            CurrentTool(tool["name"], tool["definitionDigest"], *_policy(tool["name"]))
            for tool in snapshot["tools"]
        ),
    )


@dataclass
class Resumed:
    """A session on its way to its end; ``effects`` are the model requests and tool runs."""

    data: bytes
    effects: list[str] = field(default_factory=list)
    blocked: str | None = None
    _ids: int = 0

    @property
    def state(self) -> SessionState:
        """The state that the bytes mean."""
        return state_of(self.data)

    def new_id(self) -> str:
        """Return an id that no log of the tests uses."""
        self._ids += 1
        return uid("free", 1000 + self._ids)

    def commit(self, *drafts: Draft) -> None:
        """Write one transaction; it must be legal."""
        state = self.state
        facts: list[JsonValue] = []
        for number, draft in enumerate(drafts):
            place = {"seq": state.next_seq + number, "timestamp": 0}
            facts.append({"id": self.new_id(), **place, **draft})  # type: ignore[dict-item]
        self.data += encode(facts)
        state_of(self.data)


def resume(data: bytes) -> Resumed:
    """Plan and commit until the session is idle or blocked; a torn tail is cut."""
    run = Resumed(data[: data.rfind(b"\n") + 1])
    for _ in range(30):
        state = run.state
        if isinstance(state.operation, Idle):
            return run
        plan = plan_recovery(state, matching(state))
        if isinstance(plan, Blocked):
            run.blocked = plan.reason
            return run
        _perform(run, state.operation, plan)
    raise AssertionError("the session does not come to an end")


def _perform(
    run: Resumed,
    operation: Run | Compaction,
    plan: Finish | StartStep | StartTool | AppendSynthetic | CloseAttempt,
) -> None:
    step = operation.step
    match plan:
        case Finish():
            run.commit(records.finished(operation, plan))
        case StartStep():
            _ask_model(run, operation, plan)
        case CloseAttempt() if step is not None:
            run.commit(records.step_failed(step, plan.error))
        case AppendSynthetic() if step is not None:
            run.commit(*(records.synthetic(step, result) for result in plan.results))
        case StartTool() if step is not None and isinstance(operation, Run):
            _run_tool(run, operation, step, plan)
        case CloseAttempt() | AppendSynthetic() | StartTool():
            raise AssertionError(f"{plan} needs a step")
        case _:
            assert_never(plan)


def _ask_model(run: Resumed, operation: Run | Compaction, plan: StartStep) -> None:
    step = operation.step
    snapshot = SNAPSHOT if step is None else step.configuration_snapshot
    step_id, attempt_id = plan.step_id or run.new_id(), run.new_id()
    digest = sha256({**snapshot})  # type: ignore[dict-item]
    run.commit(
        *records.attempt(
            operation,
            plan,
            step_id=step_id,
            attempt_id=attempt_id,
            snapshot=snapshot,
            digest=digest,
        )
    )
    run.effects.append("model")
    if isinstance(operation, Compaction):
        work = summary_work(run.state, operation)
        run.commit({"kind": "entry", "id": operation.result_entry_id, "entry": work.entry("short")})
        return
    answer: Entry = {
        "type": "message",
        "stepId": step_id,
        "attemptId": attempt_id,
        "stopReason": "stop",
        "message": {"role": "assistant", "content": "done"},
    }
    run.commit({"kind": "entry", "entry": answer})


def _run_tool(run: Resumed, operation: Run, step: Step, plan: StartTool) -> None:
    if plan.mode == "start":
        intent = _intent(run, operation, step, plan)
        run.commit(records.tool_started(intent))
    else:
        intent = next(it for it in operation.intents if it.tool_started_id == plan.tool_started_id)
    run.effects.append(f"{plan.mode} {plan.tool_name}")
    entry: Entry = {
        "type": "message",
        "stepId": step.step_id,
        "message": {"role": "tool", "content": "ok", "tool_call_id": intent.tool_call_id},
        "toolName": intent.tool_name,
        "toolStartedId": intent.tool_started_id,
        "result": {"type": "success"},
    }
    run.commit({"kind": "entry", "id": intent.result_entry_id, "entry": entry})


def _intent(run: Resumed, operation: Run, step: Step, plan: StartTool) -> ToolIntent:
    answer = next(m for m in reversed(run.state.transcript) if m["role"] == "assistant")
    replay, replay_key = _policy(plan.tool_name)
    return ToolIntent(
        operation_id=operation.operation_id,
        tool_started_id=run.new_id(),
        step_id=step.step_id,
        assistant_entry_id=plan.assistant_entry_id,
        tool_index=plan.tool_index,
        tool_call_id=answer["tool_calls"][plan.tool_index]["id"],
        tool_name=plan.tool_name,
        arguments=plan.arguments,
        replay=replay,
        replay_key=replay_key,
        environment_identity="fixture",
        result_entry_id=run.new_id(),
    )


def _policy(name: str) -> tuple[Replay, str]:
    return "safe" if name == "read" else "never", f"builtin:{name}:v1"
