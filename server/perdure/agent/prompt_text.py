"""The text of a prompt, as it may be recorded."""

from __future__ import annotations

from perdure.core.text import without_lone_surrogates
from perdure.errors import CommandError

MAX_BYTES = 2 * 1024 * 1024
"""As UTF-8; a line of the log holds it even where every character has to be escaped."""


def well_formed(text: str) -> str:
    """Return the prompt without lone surrogates, which no wire can carry.

    Raises ``CommandError`` for an empty prompt and for one longer than ``MAX_BYTES``.
    """
    if not text.strip():
        raise CommandError("The prompt is empty: write what should be done.")
    prompt = without_lone_surrogates(text)
    if len(prompt.encode()) > MAX_BYTES:
        raise CommandError("The prompt is longer than 2 MiB: put it into a file and name the file.")
    return prompt
