"""The types of Perdure's own LSP messages, in the order in which they are documented."""

from __future__ import annotations

from typing import Any, Literal, get_origin

from typing_extensions import is_typeddict

from perdure.protocol import (
    approvals,
    changes,
    documents,
    editor,
    errors,
    operations,
    progress,
    prompts,
    sessions,
    status,
    trouble,
)

_TOPICS = (
    trouble,
    status,
    progress,
    approvals,
    editor,
    prompts,
    operations,
    sessions,
    changes,
    documents,
    errors,
)


def message_types() -> list[type[Any]]:
    """Return every type once."""
    return [
        shape
        for topic in _TOPICS
        for shape in vars(topic).values()
        if is_typeddict(shape) and shape.__module__ == topic.__name__
    ]


def set_of_words(name: str) -> object:
    """Return the ``Literal`` of this name, None where there is none."""
    found = (vars(topic).get(name) for topic in _TOPICS)
    return next((words for words in found if get_origin(words) is Literal), None)
