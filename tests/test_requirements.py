"""Every requirement that states behaviour is named by a test, and the table of them is true."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.requirements_table import BEGIN, END, missing, table, with_table


@pytest.mark.process
def test_the_table_is_complete_and_not_stale() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.requirements_table", "--check"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_row_without_a_test_is_found() -> None:
    assert missing({row: ["x"] for row in range(1, 137) if row != 38}) == [38]


def test_the_table_replaces_only_itself() -> None:
    found = {2: ["tests/a/test_b.py::test_c", "tests/a/test_b.py::test_d"]}
    text = with_table(f"before\n{BEGIN}old\n{END}after\n", found)
    assert text == f"before\n{BEGIN}{table(found)}{END}after\n"
    assert "| 2 | [a/test_b.py](a/test_b.py): test_c, test_d |" in text
