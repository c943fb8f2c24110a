"""RecoveryPlan: the closed union of what may happen next (session-format section 14.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from perdure.core.records import Replay, StepKind, WireError
from perdure.json_types import JsonObject

BlockedReason: TypeAlias = Literal[
    "configuration_changed",
    "environment_changed",
    "replay_declaration_changed",
    "attempts_exhausted",
]
SyntheticReason: TypeAlias = Literal[
    "invalidArguments", "unknownTool", "truncated", "aborted", "interrupted"
]


@dataclass(frozen=True, slots=True)
class CurrentTool:
    """How a tool is declared now."""

    name: str
    definition_digest: str
    replay: Replay
    replay_key: str


@dataclass(frozen=True, slots=True)
class CurrentConfiguration:
    """What the planner compares the log with (14.1)."""

    configuration_digest: str
    environment_identity: str
    tools: tuple[CurrentTool, ...]

    def tool(self, name: str) -> CurrentTool | None:
        """Return the current declaration of that name."""
        return next((tool for tool in self.tools if tool.name == name), None)


@dataclass(frozen=True, slots=True)
class Finish:
    """Commit the terminal. On an idle session it only means that nothing is left to do."""

    outcome: Literal["completed", "aborted", "failed"]
    completion: Literal["normal", "truncated"] | None = None
    final_entry_id: str | None = None
    error: WireError | None = None


@dataclass(frozen=True, slots=True)
class StartStep:
    """Send a model request; ``step_id`` only for attempt 2."""

    step_kind: StepKind
    attempt: Literal[1, 2]
    context_through_entry_id: str
    step_id: str | None = None


@dataclass(frozen=True, slots=True)
class StartTool:
    """Start a call, or run a safe one again; ``tool_started_id`` only for a replay."""

    mode: Literal["start", "replay"]
    assistant_entry_id: str
    tool_index: int
    tool_name: str
    arguments: JsonObject
    tool_started_id: str | None = None


@dataclass(frozen=True, slots=True)
class SyntheticResult:
    """A fixed result; the last two fields only for ``interrupted``."""

    assistant_entry_id: str
    tool_index: int
    tool_call_id: str
    tool_name: str
    reason: SyntheticReason
    content: str
    tool_started_id: str | None = None
    result_entry_id: str | None = None


@dataclass(frozen=True, slots=True)
class AppendSynthetic:
    """Commit these results as one transaction, in index order."""

    results: tuple[SyntheticResult, ...]


@dataclass(frozen=True, slots=True)
class CloseAttempt:
    """Commit ``stepFailed`` for the open attempt."""

    error: WireError


@dataclass(frozen=True, slots=True)
class Blocked:
    """Going on by itself would be unsafe; nothing is written, a person decides."""

    reason: BlockedReason


RecoveryPlan: TypeAlias = Finish | StartStep | StartTool | AppendSynthetic | CloseAttempt | Blocked
