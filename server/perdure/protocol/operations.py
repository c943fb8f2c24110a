"""Ending, resuming and awaiting operations, and answering what they ask."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from perdure.json_types import JsonObject
from perdure.protocol.approvals import Decision
from perdure.protocol.trouble import BlockedInfo


class AbortArguments(TypedDict):
    """``perdure.abort``."""

    workspaceFolder: NotRequired[str]
    sessionId: NotRequired[str]
    operationId: NotRequired[str]
    reason: NotRequired[str]


class AbortResult(TypedDict):
    """Returned when the operation is durably closed."""

    outcome: Literal["aborted", "completed", "failed", "idle"]
    operationId: NotRequired[str]


class SessionArguments(TypedDict):
    """The session on the desk, unless another one is named.

    ``perdure.continue``: start a run after one that failed, with the prompt "Continue."; error
    ``not_found`` when none did. ``perdure.compactAndContinue``: compact first; what is done when
    the server ends in between is completed by reopening, which offers to continue.

    ``perdure.compact``, ``perdure.resume``, ``perdure.queue``, ``perdure.exportSession``, and
    ``perdure.resumeRecorded``: resume under the recorded configuration, for this operation alone;
    error ``not_found`` that names what is no longer available. ``perdure.relocate``: abort what
    is unfinished in a session of another environment, then go on in a new one with its past; the
    result is a ``Status``.
    """

    workspaceFolder: NotRequired[str]
    sessionId: NotRequired[str]


class CompactResult(TypedDict):
    """Returned once the compaction is accepted."""

    outcome: Literal["started", "nothing_to_compact"]
    operationId: NotRequired[str]


class ResumeResult(TypedDict):
    """A blocked plan is a result, not an error."""

    outcome: Literal["resumed", "idle", "running", "blocked"]
    plan: JsonObject
    blocked: NotRequired[BlockedInfo]


class FolderArguments(TypedDict):
    """``perdure.status``, ``perdure.sessions``, ``perdure.newSession``, ``perdure.takeOver``,
    ``perdure.models``.

    ``perdure.takeOver`` asks the process that holds the session to suspend and let go of it, then
    opens it here as reopening does; the result is a ``Status``. Error ``session_in_use`` when the
    holder has not let go within 3 s.
    """

    workspaceFolder: NotRequired[str]


class OpenSessionArguments(TypedDict):
    """``perdure.openSession``."""

    workspaceFolder: NotRequired[str]
    sessionId: str


class WaitArguments(TypedDict):
    """``perdure.wait``; ``timeoutSeconds`` defaults to 600."""

    workspaceFolder: NotRequired[str]
    sessionId: NotRequired[str]
    timeoutSeconds: NotRequired[float]


class ApproveArguments(TypedDict):
    """``perdure.approve``."""

    workspaceFolder: NotRequired[str]
    approvalId: str
    decision: Decision
    message: NotRequired[str]
