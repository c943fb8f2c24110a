"""Every row of the format and of the planner's tables is named by a fixture that proves it."""

from __future__ import annotations

import re

import pytest
from tests.support.corpus import OWN, fixtures, plan_fixtures

ROW = re.compile(r"row \d+[a-z]?(?: cmp)?|\b[FHDB]\d+\b|(?<= )[a-e](?= |$)")
# Not here, because no file reaches them: 7.7 rows 7c and 6c of a compaction (a settled step has no
# successor that would make it an older one), and 14.5 D5, which is about the driver.
ROWS = {
    "2": [f"F{number}" for number in range(1, 11)],
    "5": [f"row {number}" for number in range(1, 11)],
    "6.3": [f"row {number}" for number in range(2, 7)],
    "6.4": [f"row {number}" for number in range(1, 9)],
    "6.5": [f"row {number}" for number in range(1, 9)],
    "6.6": [f"row {number}" for number in range(1, 13)],
    "7.1": [f"row {number}" for number in range(1, 5)],
    "7.2": [f"row {number}" for number in range(1, 10)],
    "7.3": [f"row {number}" for number in range(1, 13)],
    "7.5": [f"row {number}" for number in range(1, 10)],
    "7.6": [f"row {number}" for number in range(1, 6)],
    "7.7": [
        *(f"row {number}" for number in ("1", "2", "3c", "4c", "5c", "5c cmp", "6c", "8c", "9c")),
        *(f"row {number}" for number in ("3a", "3f", "10", "11")),
    ],
    "8": [f"row {number}" for number in range(1, 7)],
    "13": [f"H{number}" for number in range(1, 9)],
    "14.3": [f"row {number}" for number in range(1, 21)],
    "14.4": ["a", "b", "c", "d", "e"],
    "14.5": [f"D{number}" for number in range(1, 14) if number != 5]
    + [f"B{number}" for number in range(1, 5)],
}


def _proven() -> set[tuple[str, str]]:
    """Return (section, row) pairs read from texts like ``7.3 row 9, 3``."""
    proven = set[tuple[str, str]]()
    texts = [it.proves for it in fixtures(OWN)] + [it.proves for it in plan_fixtures(OWN)]
    for text in texts:
        section = ""
        for part in re.split("[,:]", text):
            numbered = re.match(r"\s*(\d+(?:\.\d+)?)\b(.*)", part)
            section, rows = numbered.groups() if numbered else (section, part)
            proven.update((section, row) for row in ROW.findall(rows))
    return proven


PROVEN = _proven()


@pytest.mark.requirement(76)
@pytest.mark.parametrize("section", ROWS)
def test_every_row_is_proven(section: str) -> None:
    assert [row for row in ROWS[section] if (section, row) not in PROVEN] == []
