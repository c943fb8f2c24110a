"""What ``--help`` says of a command: the docstring of its module."""

from __future__ import annotations


def plain(docstring: str | None) -> str:
    """Return the text without the marks of code, which no terminal renders."""
    return (docstring or "").replace("``", "")
