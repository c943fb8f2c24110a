"""Telling entries apart, for readers of facts that are already known to be valid."""

from __future__ import annotations

from typing_extensions import TypeIs

from perdure.core.entries import AssistantEntry, Entry, StartedToolEntry, UnstartedToolEntry


def is_result(entry: Entry) -> TypeIs[StartedToolEntry | UnstartedToolEntry]:
    """Tell whether the entry is the result of a call."""
    return "result" in entry


def is_answer(entry: Entry) -> TypeIs[AssistantEntry]:
    """Tell whether the entry is an answer of the model."""
    return "stopReason" in entry


def is_started_result(
    entry: StartedToolEntry | UnstartedToolEntry,
) -> TypeIs[StartedToolEntry]:
    """Tell whether the result is that of a started call (form A)."""
    return "toolStartedId" in entry
