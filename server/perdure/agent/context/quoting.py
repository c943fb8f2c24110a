"""Blocks of context, each plainly delimited. Pure.

Every block has a heading of ours and a fence that is longer than any run of backticks inside, so
nothing that is quoted can end its block or pass for a heading.
"""

from __future__ import annotations

from pathlib import PurePath

from perdure.agent.transcript.inert import code_span, fence
from perdure.core.text import without_lone_surrogates
from perdure.tools.read import MAX_BYTES, MAX_LINES


def quoted_block(heading: str, text: str, *, path: str = "") -> str:
    """Return a block; the suffix of ``path`` names the language of the text."""
    sound = without_lone_surrogates(text).removesuffix("\n")
    ticks = fence(sound)
    return f"{heading}:\n\n{ticks}{_language(path)}\n{sound}\n{ticks}"


def place(path: str, lines: tuple[int, int] | None = None) -> str:
    """Return how a file, or some of its lines, is named in a heading."""
    shown = code_span(path, limit=300)
    if lines is None:
        return shown
    first, last = lines
    return f"{shown}, line {first}" if first == last else f"{shown}, lines {first}-{last}"


def cut(text: str) -> str:
    """Return the beginning of a text, as much as ``read`` would return, and what is missing."""
    lines = text.split("\n")
    kept = "\n".join(lines[:MAX_LINES])
    if len(kept.encode("utf-8", "replace")) > MAX_BYTES:
        kept = kept.encode("utf-8", "replace")[:MAX_BYTES].decode("utf-8", "ignore")
    if kept == text:
        return text
    return f"{kept}\n\n[Cut: only 2,000 lines or 50KB of {len(lines)} lines are given.]"


def _language(path: str) -> str:
    suffix = PurePath(path).suffix[1:]
    return suffix if suffix.isascii() and suffix.isalnum() else ""
