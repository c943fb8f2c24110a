"""Forms of identifiers and digests (session-format sections 4 and 10)."""

from __future__ import annotations

import re
from typing import TypeGuard

uuid7_match = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
).fullmatch
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}").fullmatch


def is_uuid7(value: object) -> TypeGuard[str]:
    """Tell whether ``value`` is a lower-case UUIDv7 in its text form."""
    return isinstance(value, str) and uuid7_match(value) is not None


def is_digest(value: object) -> TypeGuard[str]:
    """Tell whether ``value`` has the digest form ``sha256:`` and 64 lower-case hex digits."""
    return isinstance(value, str) and _DIGEST(value) is not None


def milliseconds_of(uuid7: str) -> int:
    """Return the time in a UUIDv7, ms since the epoch (RFC 9562 section 5.7)."""
    return int(uuid7[:8] + uuid7[9:13], 16)
