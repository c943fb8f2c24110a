"""The table of a torture run says what was tried, and adds up."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.torture import count, report
from tests.torture.table import Row, effects, read_rows, table


def test_what_tests_report_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.jsonl"
    monkeypatch.setenv("PERDURE_TORTURE_REPORT", str(path))
    assert read_rows(path) == []
    report(7, "points killed", 3, lost=1)
    report(9, "faults injected", 2, repeated=4)
    rows = read_rows(path)
    assert rows == [Row(7, "points killed", 3, 1, 0), Row(9, "faults injected", 2, 0, 4)]
    assert effects(rows) == (1, 4)


def test_without_a_torture_run_nothing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PERDURE_TORTURE_REPORT", raising=False)
    monkeypatch.delenv("PERDURE_TORTURE", raising=False)
    report(7, "points killed", 3)
    assert count(4, 50) == 4
    monkeypatch.setenv("PERDURE_TORTURE", "1")
    assert count(4, 50) == 50


def test_the_table_adds_up() -> None:
    rows = [
        Row(7, "points killed", 1_000, 0, 0),
        Row(6, "points killed", 234, 1, 0),
        Row(11, "races of five servers", 50, 0, 2),
    ]
    lines = [" ".join(line.split()) for line in table(rows).splitlines()]
    assert lines == [
        "points killed 1,234 goal 6, 7",
        "faults injected 0",
        "states explored 0",
        "bytes of corrupt input tried 0",
        "races of five servers 50 goal 11",
        "effects lost 1",
        "effects repeated 2",
    ]
