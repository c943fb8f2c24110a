"""What runs did to files, and undoing it."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

ChangeState: TypeAlias = Literal["applied", "changedSince", "reverted"]
UndoOutcome: TypeAlias = Literal["undone", "kept", "nothing"]


class ChangesArguments(TypedDict):
    """``perdure.changes``: of one session, and of one operation if it is named."""

    workspaceFolder: NotRequired[str]
    sessionId: NotRequired[str]
    operationId: NotRequired[str]


class FileChange(TypedDict):
    """What one call did to a file.

    ``path`` is relative to the workspace folder; ``diff`` is empty where the contents are not
    kept. ``changedSince``: what the file holds now is something else.
    """

    path: str
    kind: Literal["created", "modified"]
    operationId: str
    toolCallId: str
    diff: str
    state: ChangeState


class CommandRun(TypedDict):
    """A shell command that was started; what it changed is not known and cannot be undone."""

    command: str
    operationId: str
    toolCallId: str


class ChangesResult(TypedDict):
    """The changes by file, each in their order."""

    changes: list[FileChange]
    commands: list[CommandRun]


class UndoArguments(TypedDict):
    """``perdure.undo``: of the last run unless one is named; asks unless ``confirmed`` is true."""

    workspaceFolder: NotRequired[str]
    sessionId: NotRequired[str]
    operationId: NotRequired[str]
    confirmed: NotRequired[bool]


class UndoneFile(TypedDict):
    """What became of a file that the run changed; ``message`` says why it ``failed``.

    A file that the run created is ``removed``; one that something else has changed is left alone.
    """

    path: str
    outcome: Literal["restored", "removed", "changedSince", "alreadyReverted", "failed"]
    message: NotRequired[str]


class UndoResult(TypedDict):
    """``kept``: the user said no. ``commands`` are those of the run, which stay as they are."""

    outcome: UndoOutcome
    operationId: NotRequired[str]
    files: list[UndoneFile]
    commands: list[CommandRun]
