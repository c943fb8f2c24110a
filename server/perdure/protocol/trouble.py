"""Why work stands still or has failed, and the legal next actions."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from perdure.json_types import JsonValue


class Detail(TypedDict):
    """One field that differs: what was recorded and what is there now.

    ``diff`` is a unified diff, where both texts are known.
    """

    field: str
    recorded: str
    current: str
    diff: NotRequired[str]


class Action(TypedDict):
    """A legal next action, as a command."""

    title: str
    command: str
    arguments: list[JsonValue]


class BlockedInfo(TypedDict):
    """Why work stands still, for the states ``blocked`` and ``unavailable``."""

    code: str
    title: str
    details: list[Detail]
    actions: list[Action]


class FailedInfo(TypedDict):
    """Why the last run failed, and how to go on; the title of an action names a wait asked for."""

    operationId: str
    code: str
    message: str
    actions: list[Action]


class InterruptedFile(TypedDict):
    """The file that a call was writing when it was interrupted, and what is known of it."""

    uri: str
    toolCallId: str
    message: str
