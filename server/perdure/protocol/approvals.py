"""Asking the user about a call."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from perdure.json_types import JsonObject

Decision: TypeAlias = Literal["allow", "allowForSession", "allowForWorkspace", "deny"]


class FilePreview(TypedDict):
    """Before and after of a file."""

    uri: str
    before: str
    after: str


class CommandPreview(TypedDict):
    """A shell command in full, and the folder in which it runs."""

    command: str
    directory: NotRequired[str]


class ApproveParams(TypedDict):
    """``perdure/approve``: asks for a decision.

    ``reason`` says why the user is asked about a call that is allowed.
    """

    approvalId: str
    sessionId: str
    toolCallId: str
    toolName: str
    arguments: JsonObject
    title: str
    preview: NotRequired[FilePreview | CommandPreview]
    reason: NotRequired[str]


class ApproveResult(TypedDict):
    """The answer to ``perdure/approve``; null instead of it means: not decided."""

    decision: Decision
    message: NotRequired[str]
