"""In what the services that speak chat completions differ, as far as requests show it."""

from __future__ import annotations

import string
from dataclasses import dataclass
from hashlib import sha256

from perdure.json_types import JsonObject

_ALPHANUMERIC = string.ascii_letters + string.digits
_MISTRAL_ID_LENGTH = 9


@dataclass(frozen=True, slots=True)
class Dialect:
    """The habits of one service.

    ``short_call_ids``: ids of calls must be nine letters or digits. ``reasoning_with_calls``: a
    message with calls must carry ``reasoning_content``, be it empty.
    """

    limit_key: str = "max_tokens"
    short_call_ids: bool = False
    reasoning_with_calls: bool = False

    def output_options(self, max_output_tokens: int | None) -> JsonObject:
        """Return the options that limit the answer, as they are sent."""
        return {} if max_output_tokens is None else {self.limit_key: max_output_tokens}

    def call_id(self, call_id: str) -> str:
        """Return what is sent for an id of the history; different ids stay different."""
        return _short_id(call_id) if self.short_call_ids else call_id


def dialect_of(host: str) -> Dialect:
    """Return the dialect of a host; OpenAI's own models refuse the older ``max_tokens``."""
    match host:
        case "api.openai.com":
            return Dialect(limit_key="max_completion_tokens")
        case "api.mistral.ai":
            return Dialect(short_call_ids=True)
        case "api.deepseek.com":
            return Dialect(reasoning_with_calls=True)
        case _:
            return Dialect()


def _short_id(call_id: str) -> str:
    """Mistral's own ids stay as they are; nine digits of 62 do not collide in one history."""
    is_own = len(call_id) == _MISTRAL_ID_LENGTH and call_id.isascii() and call_id.isalnum()
    if is_own:
        return call_id
    number = int.from_bytes(sha256(call_id.encode("utf-8", "replace")).digest())
    digits = ""
    for _ in range(_MISTRAL_ID_LENGTH):
        number, digit = divmod(number, len(_ALPHANUMERIC))
        digits += _ALPHANUMERIC[digit]
    return digits
