"""What a failed run offers: to continue, after which wait, and to compact first."""

from __future__ import annotations

import re

import pytest

from perdure.agent.failure import failed_info
from perdure.core.last_run import FailedRun
from perdure.providers.origin import Origin

ORIGIN = Origin("models.example")
SLOW = str(ORIGIN.failure("rate_limit", "slow down", retry_after_ms=30_500))
TOMORROW = str(ORIGIN.failure("rate_limit", "slow down", retry_after_ms=86_400_000))
LONG = str(ORIGIN.http_failure(400, {}, b"maximum context length is 8192", now=0))
LARGE = str(ORIGIN.http_failure(413, {}, b"", now=0))
LATER = str(ORIGIN.failure("rate_limit", "slow down", retry_after_ms=10**12 + 1))
LYING = str(ORIGIN.failure("server", f"It asks to wait {10**99} s. It asks to wait e+. s"))
BROKEN = str(ORIGIN.failure("network", "it broke"))


@pytest.mark.parametrize(
    ("message", "compacted", "titles"),
    [
        (BROKEN, False, ["Continue"]),
        (SLOW, False, [r"Continue \(wait 30\.5 s, until \d\d:\d\d:\d\d\)"]),
        (TOMORROW, False, [r"Continue \(wait 86400 s, until \d{4}-\d\d-\d\d \d\d:\d\d\)"]),
        (LATER, False, [r"Continue \(wait 1000000000\.001 s, until 2001-09-0\d \d\d:\d\d\)"]),
        (LYING, False, ["Continue"]),
        (LONG, False, ["Compact and continue", "Continue"]),
        (LARGE, False, ["Compact and continue", "Continue"]),
        (LONG, True, ["Continue"]),
        ("wait! compact!", False, ["Continue"]),
    ],
)
def test_actions(message: str, compacted: bool, titles: list[str]) -> None:
    failed = FailedRun("o1", {"code": "model_error", "message": message}, 1_000, compacted)
    info = failed_info(failed, "file:///work")
    assert info["message"] == message
    found = [action["title"] for action in info["actions"]]
    assert len(found) == len(titles)
    assert all(re.fullmatch(*pair) for pair in zip(titles, found, strict=True)), found
    assert {str(action["arguments"]) for action in info["actions"]} == {
        "[{'workspaceFolder': 'file:///work'}]"
    }
