"""Sending prompts, and those that wait."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from perdure.protocol.editor import Attachment
from perdure.protocol.status import QueuedInfo


class PromptArguments(TypedDict):
    """``perdure.prompt``; with ``queue`` it waits where it cannot start at once.

    ``text`` may mention files and folders of the workspace: ``@path``, ``@path:10-20``,
    ``@"path with spaces"``. What is mentioned and attached becomes part of the message; images
    do not, and what is missing stays as it is typed, which the user is told.
    """

    workspaceFolder: NotRequired[str]
    text: str
    attachments: NotRequired[list[Attachment]]
    sessionId: NotRequired[str]
    newSession: NotRequired[bool]
    queue: NotRequired[bool]


class PromptResult(TypedDict):
    """Returned once the acceptance transaction is durable, or the place in the queue.

    A prompt that waits has ``queuedId`` and ``position``, from 1, instead of ``operationId``.
    """

    sessionId: str
    operationId: NotRequired[str]
    queuedId: NotRequired[str]
    position: NotRequired[int]


class QueueResult(TypedDict):
    """What waits, first in first, as it is after the command."""

    items: list[QueuedInfo]


class QueueEditArguments(TypedDict):
    """``perdure.queueEdit``."""

    workspaceFolder: NotRequired[str]
    sessionId: NotRequired[str]
    queuedId: str
    text: str


class QueueRemoveArguments(TypedDict):
    """``perdure.queueRemove``."""

    workspaceFolder: NotRequired[str]
    sessionId: NotRequired[str]
    queuedId: str


class CompleteArguments(TypedDict):
    """``perdure.complete``; ``prefix`` is what is typed behind the ``@``."""

    workspaceFolder: NotRequired[str]
    prefix: str


class CompleteResult(TypedDict):
    """Paths relative to the workspace folder that go on from the prefix; folders end with ``/``."""

    paths: list[str]
