"""Which tests check which requirement: the table in ``tests/README.md``.

::

    python -m tests.requirements_table            write the table
    python -m tests.requirements_table --check    fail when it is stale or a row has no test

Tests name their rows with ``@pytest.mark.requirement(12, 13)``.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

import pytest

MUST = frozenset(
    chain(
        (1, 2),
        range(4, 11),
        range(12, 29),
        range(33, 71),
        range(72, 76),
        range(98, 121),
        range(122, 128),
        (129, 130),
    )
)
"""The rows that state behaviour. Row 128 is about other languages."""

TESTS = Path(__file__).parent
README = TESTS / "README.md"
BEGIN = "<!-- requirements: written by python -m tests.requirements_table -->\n"
END = "<!-- end of requirements -->\n"

Found = Mapping[int, Iterable[str]]


class Collector:
    """A pytest plugin that notes the rows of every test it sees."""

    def __init__(self) -> None:
        self.found: dict[int, set[str]] = defaultdict(set)

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Take the name without its parameters."""
        name = item.nodeid.partition("[")[0]
        for marker in item.iter_markers("requirement"):
            for row in marker.args:
                self.found[row].add(name)


def collect() -> Found:
    """Return the tests of each row. Raises ``SystemExit`` when the tests cannot be collected."""
    collector = Collector()
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        options = ["--collect-only", "-qq", "-p", "no:cacheprovider", str(TESTS)]
        code = pytest.main(options, plugins=[collector])
    if code != pytest.ExitCode.OK:
        raise SystemExit(f"The tests cannot be collected.\n{output.getvalue()}")
    return collector.found


def table(found: Found) -> str:
    """Return the Markdown table."""
    rows = [f"| {row} | {_tests(found[row])} |" for row in sorted(found)]
    return "\n".join(("| row | tests |", "|---|---|", *rows, ""))


def with_table(text: str, found: Found) -> str:
    """Return the README with the table in its place."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + table(found) + END + after


def missing(found: Found) -> list[int]:
    """Return the rows that state behaviour and have no test."""
    return sorted(MUST - found.keys())


def main(argv: Sequence[str]) -> int:
    """Write or check the table; 1 when the check fails."""
    found = collect()
    text = README.read_text(encoding="utf-8")
    wanted = with_table(text, found)
    if argv != ["--check"]:
        README.write_text(wanted, encoding="utf-8")
        return 0
    problems = []
    if text != wanted:
        problems.append("tests/README.md is stale: run python -m tests.requirements_table")
    if rows := missing(found):
        problems.append(f"no test names the requirements {', '.join(map(str, rows))}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def _tests(names: Iterable[str]) -> str:
    by_file: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        file, _, test = name.removeprefix("tests/").partition("::")
        by_file[file].append(test)
    return "; ".join(f"[{file}]({file}): {', '.join(tests)}" for file, tests in by_file.items())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
