"""Why a plan is blocked, in plain words and field by field, and what may be done about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from perdure.core.context import open_calls
from perdure.core.plans import Blocked, CurrentConfiguration
from perdure.core.records import ConfigurationSnapshot
from perdure.core.state import Idle, SessionState, Step, ToolIntent

NextAction: TypeAlias = Literal[
    "restoreThenResume", "resumeRecorded", "showChanged", "relocate", "abort"
]

ABSENT = "(none)"


@dataclass(frozen=True, slots=True)
class Difference:
    """One field: what the session recorded, and what is there now."""

    field: str
    recorded: str
    current: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """``title`` is one sentence; ``actions`` are the legal next actions, best first.

    ``restoreThenResume``: bring back what is recorded, then resume. ``resumeRecorded``: finish the
    operation under what is recorded. ``showChanged``: see what differs. ``relocate``: abort the
    operation, and go on in a new session here.
    """

    title: str
    details: tuple[Difference, ...]
    actions: tuple[NextAction, ...]


def explain(
    plan: Blocked,
    state: SessionState,
    current: CurrentConfiguration,
    snapshot: ConfigurationSnapshot,
) -> Explanation:
    """Say what differs. ``snapshot`` is the one whose digest ``current`` carries."""
    more: tuple[NextAction, ...] = ()
    match plan.reason:
        case "configuration_changed":
            title = "The configuration is not the one this operation was started with."
            details = _configuration(state, current, snapshot)
            more = ("resumeRecorded", "showChanged")
        case "environment_changed":
            title = "The session belongs to another environment; its effects run only there."
            details = _environment(state, current)
            moved = state.header.environment_identity != current.environment_identity
            more = ("relocate",) if moved else ()
        case "replay_declaration_changed":
            title = "A started tool may be run again only as it was declared, and that changed."
            details = _replay(state, current)
        case "attempts_exhausted":
            title = "The model was asked twice and both answers were lost; it is not asked again."
            return Explanation(title, tuple(_attempts(state)), ("abort",))
        case _:
            assert_never(plan.reason)
    return Explanation(title, tuple(details), ("restoreThenResume", *more, "abort"))


def differences(
    recorded: ConfigurationSnapshot, current: ConfigurationSnapshot
) -> Iterator[Difference]:
    """Compare two configuration identities in the order of their fields (section 10)."""
    pairs = (
        ("model", recorded["model"], current["model"]),
        ("system prompt", recorded["systemPromptDigest"], current["systemPromptDigest"]),
        ("adapter", recorded["adapterIdentity"], current["adapterIdentity"]),
        ("routing", recorded["routingIdentity"], current["routingIdentity"]),
        ("output options", recorded["outputOptionsDigest"], current["outputOptionsDigest"]),
    )
    for field, before, now in pairs:
        if before != now:
            yield Difference(field, before, now)
    yield from _tools(recorded, current)


def _tools(recorded: ConfigurationSnapshot, current: ConfigurationSnapshot) -> Iterator[Difference]:
    """Tools added, removed or changed; their order only when nothing else differs."""
    before = {tool["name"]: tool["definitionDigest"] for tool in recorded["tools"]}
    now = {tool["name"]: tool["definitionDigest"] for tool in current["tools"]}
    for name in before | now:
        if before.get(name) != now.get(name):
            yield Difference(f"tool {name}", before.get(name, ABSENT), now.get(name, ABSENT))
    if before == now and list(before) != list(now):
        yield Difference("order of tools", ", ".join(before), ", ".join(now))


def _configuration(
    state: SessionState, current: CurrentConfiguration, snapshot: ConfigurationSnapshot
) -> Iterator[Difference]:
    """Compare the step's snapshot; when that is equal, the declaration of the pending call."""
    step = _step(state)
    if step is None:
        return
    if step.configuration_digest != current.configuration_digest:
        yield from differences(step.configuration_snapshot, snapshot)
        return
    intent = _pending(state)
    if intent is None:
        return
    declared = current.tool(intent.tool_name)
    recorded = {t["name"]: t["definitionDigest"] for t in step.configuration_snapshot["tools"]}
    yield Difference(
        f"tool {intent.tool_name}",
        recorded.get(intent.tool_name, ABSENT),
        ABSENT if declared is None else declared.definition_digest,
    )


def _environment(state: SessionState, current: CurrentConfiguration) -> Iterator[Difference]:
    """Compare the session's identity; when that is equal, the one of the pending call."""
    recorded = state.header.environment_identity
    intent = _pending(state)
    if recorded == current.environment_identity and intent is not None:
        recorded = intent.environment_identity
    yield Difference("environment", recorded, current.environment_identity)


def _replay(state: SessionState, current: CurrentConfiguration) -> Iterator[Difference]:
    intent = _pending(state)
    if intent is None:
        return
    declared = current.tool(intent.tool_name)
    pairs = (
        ("replay policy", intent.replay, declared.replay if declared else ABSENT),
        ("replay key", intent.replay_key, declared.replay_key if declared else ABSENT),
    )
    for field, before, now in pairs:
        if before != now:
            yield Difference(f"{field} of {intent.tool_name}", before, now)


def _attempts(state: SessionState) -> Iterator[Difference]:
    step = _step(state)
    if step is not None:
        yield Difference("model requests", f"{step.attempt} sent, no answer stored", "2 allowed")


def _step(state: SessionState) -> Step | None:
    match state.operation:
        case Idle():
            return None
        case operation:
            return operation.step


def _pending(state: SessionState) -> ToolIntent | None:
    """The intent of the call that the planner looked at: the first open one."""
    calls = open_calls(state)
    return calls[0].intent if calls else None
