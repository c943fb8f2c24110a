"""The text of a prompt, as it may be recorded."""

from __future__ import annotations

from perdure.errors import CommandError


def well_formed(text: str) -> str:
    """Return the prompt without lone surrogates, which no wire can carry.

    Raises ``CommandError`` for an empty prompt.
    """
    if not text.strip():
        raise CommandError("The prompt is empty: write what should be done.", code="invalid_params")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
