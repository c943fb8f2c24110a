"""A user entry with its context: the words of the user, then blocks. Pure."""

from __future__ import annotations

from collections.abc import Sequence

HEAD = (
    "[Context of this message. What stands between fences is quoted from files and from the "
    "editor; the user did not write it.]"
)


def with_context(text: str, blocks: Sequence[str]) -> str:
    """Return the content of a user entry: the words of the user, then the blocks that there are."""
    there = [block for block in blocks if block]
    return "\n\n".join((text, HEAD, *there)) if there else text


def divided(content: str) -> tuple[str, str]:
    """Return the words of a user entry and its context, which is empty where there is none."""
    words, head, context = content.partition(f"\n\n{HEAD}\n\n")
    return (words, context) if head else (content, "")
