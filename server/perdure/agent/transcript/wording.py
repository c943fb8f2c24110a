"""The words of the transcript: how calls and turns ended, times, counts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TypeAlias

from perdure.core.entries import InterruptedResult, PlainResult, PreExecutionResult
from perdure.core.facts import UsageCounters
from perdure.core.plans import SyntheticReason

Result: TypeAlias = PlainResult | InterruptedResult | PreExecutionResult

_SYNTHETIC: dict[SyntheticReason, str] = {
    "invalidArguments": "Not executed: its arguments were invalid",
    "unknownTool": "Not executed: there is no such tool",
    "truncated": "Not executed: its arguments were cut off by the token limit",
    "aborted": "Not executed: the operation was aborted before it started",
    "interrupted": "Interrupted: started, whether it took effect is unknown, not repeated",
}


def verdict(result: Result) -> str:
    """Say how a call ended; a synthetic result never looks like the result of a run."""
    if result["type"] == "synthetic":
        return _SYNTHETIC[result["reason"]]
    return "Succeeded" if result["type"] == "success" else "Failed"


def tokens(usage: UsageCounters) -> str:
    """Return the token counts of a turn."""
    parts = [f"{usage['input']} tokens in", f"{usage['output']} out"]
    if usage["cacheRead"]:
        parts.append(f"{usage['cacheRead']} from cache")
    if usage["cacheWrite"]:
        parts.append(f"{usage['cacheWrite']} to cache")
    return ", ".join(parts)


def duration(milliseconds: int) -> str:
    """Return a span of time in the unit that suits it."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def moment(timestamp: int) -> str:
    """Return ms since the epoch as text, in UTC: the same file gives the same document."""
    try:
        time = datetime.fromtimestamp(timestamp / 1000, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return f"{timestamp} ms"
    return f"{time:%Y-%m-%d %H:%M:%S} UTC"


def count(number: int, word: str) -> str:
    """Return ``1 line``, ``2 lines``."""
    return f"1 {word}" if number == 1 else f"{number} {word}s"
