"""What a failed model request means (provider-wire section 3)."""

from __future__ import annotations

from perdure.providers.base import ErrorCode

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
