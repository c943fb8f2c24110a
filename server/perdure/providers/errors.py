"""What a failed model request means.

A ``Complaint`` is what a server said, in whichever of the many envelopes; ``classify`` turns it
into one of the codes of ``ErrorCode``. Both are pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from perdure.json_types import JsonObject, JsonValue
from perdure.providers.base import ErrorCode
from perdure.providers.shapes import NotJson, as_list, as_object, as_text, parse_json

RETRYABLE: frozenset[ErrorCode] = frozenset(
    {
        "rate_limit",
        "overloaded",
        "server",
        "timeout",
        "network",
        "stream_incomplete",
        "tool_call_malformed",
    }
)
"""Codes after which asking again may help. Perdure never does it by itself."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """What the server said. ``words`` are its types and codes in lower case."""

    message: str
    words: frozenset[str] = frozenset()
    status: int | None = None


def read_body(body: bytes) -> Complaint:
    """Read the body of an HTTP error: JSON in any envelope, HTML, text or nothing."""
    text = body.decode("utf-8", "replace").strip()
    if text.startswith("<"):
        title = re.search(r"<title>(.*?)</title>", text, re.DOTALL | re.IGNORECASE)
        return Complaint(title[1] if title else re.sub(r"<[^>]*>", " ", text))
    return read_complaint(text)


def read_complaint(value: JsonValue) -> Complaint:
    """Read an error value; a string may itself be the JSON of another error."""
    match value:
        case str():
            try:
                inner = parse_json(value)
            except NotJson:
                return Complaint(value)
            return read_complaint(inner) if isinstance(inner, dict | list) else Complaint(value)
        case [first, *_]:
            return read_complaint(first)
        case dict():
            return _read_object(value)
        case _:
            return Complaint("")


def classify(complaint: Complaint, http_status: int | None) -> ErrorCode:
    """Return the code. ``http_status`` is None inside a stream that began with 200."""
    status = http_status or complaint.status
    if status == 402 or complaint.words & _BILLING or _NO_CREDIT.search(complaint.message):
        return "billing"
    if "tool_use_failed" in complaint.words:
        return "tool_call_malformed"
    if status != 429 and _is_overflow(complaint):
        return "context_overflow"
    if status is not None:
        return _code_of_status(status)
    return next((code for word, code in _WORDS.items() if word in complaint.words), "server")


_BILLING = frozenset({"insufficient_quota", "billing_error"})
_NO_CREDIT = re.compile(r"credit balance is too low", re.IGNORECASE)
_OVERFLOW_WORDS = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_OVERFLOW_TEXT = re.compile(
    r"maximum context length|exceeds the context window|prompt is too long"
    r"|input token count.*exceeds the maximum|maximum prompt length is"
    r"|reduce the length of the messages|too large for model with \d+ maximum context"
    r"|greater than the context length|context size has been exceeded"
    r"|longer than the context length",
    re.IGNORECASE | re.DOTALL,
)
_STATUSES: dict[int, ErrorCode] = {
    401: "auth",
    403: "permission",
    404: "not_found",
    408: "timeout",
    409: "server",
    413: "request_too_large",
    429: "rate_limit",
    498: "overloaded",
    503: "overloaded",
    504: "timeout",
    524: "timeout",
    529: "overloaded",
}
_WORDS: dict[str, ErrorCode] = {
    "overloaded_error": "overloaded",
    "rate_limit_error": "rate_limit",
    "rate_limit_exceeded": "rate_limit",
    "timeout_error": "timeout",
    "request_too_large": "request_too_large",
    "authentication_error": "auth",
    "invalid_api_key": "auth",
    "permission_error": "permission",
    "not_found_error": "not_found",
    "invalid_request_error": "invalid_request",
}


def _is_overflow(complaint: Complaint) -> bool:
    if complaint.words & _OVERFLOW_WORDS:
        return True
    return _OVERFLOW_TEXT.search(complaint.message) is not None


def _code_of_status(status: int) -> ErrorCode:
    if status in _STATUSES:
        return _STATUSES[status]
    if status < 400:
        return "redirect"
    return "invalid_request" if status < 500 else "server"


def _read_object(value: JsonObject) -> Complaint:
    parts = [read_complaint(part) for part in _parts(value)]
    labels = [value.get(key) for key in ("code", "type", "status")]
    words = frozenset(label.lower() for label in labels if isinstance(label, str))
    numbers = [label for label in labels if isinstance(label, int) and 300 <= label <= 599]
    return Complaint(
        message=next((part.message for part in parts if part.message), ""),
        words=words.union(*(part.words for part in parts)),
        status=next((s for s in (*numbers, *(part.status for part in parts)) if s), None),
    )


def _parts(value: JsonObject) -> Iterator[JsonValue]:
    """Yield where the text may stand, the most telling place first."""
    yield as_object(value.get("metadata")).get("raw")
    error = value.get("error")
    if not isinstance(error, str):
        yield error
    yield value.get("message")
    detail = value.get("detail")
    yield "; ".join(as_text(as_object(item).get("msg")) for item in as_list(detail)) or detail
    yield error
