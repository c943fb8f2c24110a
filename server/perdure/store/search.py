"""Searching sessions: literal text, letter case ignored, line by line through the files.

Nothing is reduced or kept, so memory is bounded by one line; ``cancelled`` is asked between two
lines. Damaged lines are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import orjson

from perdure.core.masking import Shown, as_stored
from perdure.json_types import JsonValue
from perdure.store.catalog import SessionSummary
from perdure.store.titles import printable_line

LIMIT = 50
"""So many sessions are found at most, the newest."""

_AROUND = 60


@dataclass(frozen=True, slots=True)
class Hit:
    """A session that holds the text; ``snippet`` is one line from its first place there."""

    summary: SessionSummary
    snippet: str


def search_sessions(
    summaries: Iterable[SessionSummary],
    query: str,
    *,
    cancelled: Callable[[], bool],
    shown: Shown = as_stored,
) -> list[Hit]:
    """Return the first ``LIMIT`` of ``summaries`` with ``query`` in the title or a message.

    What is not ``shown`` is not found.
    """
    wanted = re.compile(re.escape(query), re.IGNORECASE)
    hits: list[Hit] = []
    for summary in summaries:
        if cancelled() or len(hits) == LIMIT:
            break
        texts = map(shown, _texts(summary, cancelled))
        snippet = next((s for text in texts if (s := _snippet(text, wanted)) is not None), None)
        if snippet is not None:
            hits.append(Hit(summary, snippet))
    return hits


def _snippet(text: str, wanted: re.Pattern[str]) -> str | None:
    found = wanted.search(text)
    if found is None:
        return None
    start, end = max(0, found.start() - _AROUND), found.end() + _AROUND
    words = printable_line(text[start:end])
    return f"{'…' if start else ''}{words}{'…' if end < len(text) else ''}"


def _texts(summary: SessionSummary, cancelled: Callable[[], bool]) -> Iterator[str]:
    """Yield the title and every text of the transcript, in order."""
    yield summary.title
    try:
        with summary.path.open("rb") as file:
            for line in file:
                if cancelled():
                    return
                yield from _texts_of(line)
    except OSError:
        return


def _texts_of(line: bytes) -> Iterator[str]:
    try:
        value: JsonValue = orjson.loads(line)
    except orjson.JSONDecodeError:
        return
    for fact in value if isinstance(value, list) else [value]:
        match fact:
            case {"entry": {"message": {"content": str(text)}} | {"summary": str(text)}}:
                yield text
            case _:
                continue
