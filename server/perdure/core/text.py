"""Text that UTF-8 and JSON can carry."""

from __future__ import annotations


def without_lone_surrogates(text: str) -> str:
    """Return ``text`` with each lone surrogate as U+FFFD; proper pairs become one character."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
