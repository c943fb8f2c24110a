"""Whom a provider talks to, and how that may be spoken of in an error.

The only place where the text of a ``ProviderError`` is made: keys, headers and URL queries never
get into it, and nothing in it says that a failed request had no effect (requirements row 32).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from perdure.core.facts import UsageCounters
from perdure.core.text import without_lone_surrogates
from perdure.providers.advice import advice, wait
from perdure.providers.base import ErrorCode, ProviderError
from perdure.providers.errors import RETRYABLE, Complaint, classify, read_body

_LONGEST = 600
_SECRETS = re.compile(r"\b(?:sk|gsk|ghp)[-_][\w-]{8,}|(?i:\bbearer\s+\S+)")
_QUERY = re.compile(r"(https?://[^\s?]+)\?\S*")


@dataclass(frozen=True, slots=True)
class Origin:
    """A model server: its host as the user knows it, and the key that must not be told.

    ``key_env`` names the variable that the key came from. ``is_local``: it runs on this machine.
    """

    host: str
    secret: str = field(default="", repr=False)
    key_env: str = ""
    is_local: bool = False

    def plain(self, text: str) -> str:
        """Return ``text`` fit to be shown: one line, bounded, without secrets."""
        if self.secret:
            text = text.replace(self.secret, "[key]")
        text = _SECRETS.sub("[key]", _QUERY.sub(r"\1", without_lone_surrogates(text)))
        words = " ".join(text.split())
        return words if len(words) <= _LONGEST else words[:_LONGEST] + " …"

    def failure(
        self,
        code: ErrorCode,
        text: str,
        *,
        retryable: bool | None = None,
        http_status: int | None = None,
        retry_after_ms: int | None = None,
        partial: str = "",
        usage: UsageCounters | None = None,
    ) -> ProviderError:
        """Return an error whose message is ``text`` and what to do about it."""
        sentences = [self.plain(text).removesuffix(".") + "."]
        key = self.key_env if self.secret else None
        sentences.append(advice(code, text, key=key, is_local=self.is_local))
        if retry_after_ms is not None:
            sentences.append(wait(retry_after_ms))
        return ProviderError(
            " ".join(filter(None, sentences)),
            code=code,
            retryable=code in RETRYABLE if retryable is None else retryable,
            http_status=http_status,
            retry_after_ms=retry_after_ms,
            partial=partial,
            usage=usage,
        )

    def http_failure(
        self, status: int, headers: Mapping[str, str], body: bytes, *, now: float
    ) -> ProviderError:
        """Return the error that an HTTP status means. ``now`` is seconds since the epoch."""
        complaint = read_body(body)
        if 300 <= status < 400:
            complaint = Complaint(f"it redirects to {headers.get('location', '').split('?')[0]}")
        return self.failure(
            classify(complaint, status),
            f"{self.host} answered {status}: {complaint.message or 'no explanation'}",
            http_status=status,
            retry_after_ms=_retry_after_ms(headers, now),
        )

    def stream_failure(
        self, complaint: Complaint, *, partial: str, usage: UsageCounters | None
    ) -> ProviderError:
        """Return the error that a server reported inside an answer that began well."""
        return self.failure(
            classify(complaint, None),
            f"{self.host} reported an error: {complaint.message or 'no explanation'}",
            http_status=complaint.status,
            partial=partial,
            usage=usage,
        )


def _retry_after_ms(headers: Mapping[str, str], now: float) -> int | None:
    """Read ``retry-after-ms``, else ``retry-after`` as seconds or as a date."""
    for name, factor in (("retry-after-ms", 1), ("retry-after", 1000)):
        value = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
            return round(float(value) * factor)
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    return max(0, round((date.timestamp() - now) * 1000))
