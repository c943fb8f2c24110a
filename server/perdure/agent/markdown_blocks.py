"""Pieces of Markdown that hold any text without letting it break out."""

from __future__ import annotations

import re

from perdure.core.facts import InterruptedResult, PlainResult, PreExecutionResult, UsageCounters
from perdure.core.plans import SyntheticReason

Result = PlainResult | InterruptedResult | PreExecutionResult

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


def quote(text: str) -> str:
    """Return a block quote."""
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def fence(text: str, language: str) -> str:
    """Return a code block whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"


def folded(summary: str, block: str) -> str:
    """Return a block that viewers fold; ``summary`` is our own text."""
    return f"<details><summary>{summary}</summary>\n\n{block}\n\n</details>"


def tokens(usage: UsageCounters) -> str:
    """Return the token counts of a turn."""
    parts = [f"{usage['input']} tokens in", f"{usage['output']} out"]
    if usage["cacheRead"]:
        parts.append(f"{usage['cacheRead']} from cache")
    if usage["cacheWrite"]:
        parts.append(f"{usage['cacheWrite']} to cache")
    return ", ".join(parts)
