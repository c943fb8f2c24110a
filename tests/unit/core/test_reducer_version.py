"""Snapshots name the core that made them; what it is called follows from its code."""

from __future__ import annotations

from tests.support.reducer_version import COMMAND, RECORDED, expected_text


def test_the_version_of_the_core_is_up_to_date() -> None:
    assert RECORDED.read_text(encoding="utf-8") == expected_text(), f"Run {COMMAND}"
