"""Explore until so many distinct states have been seen.

::

    python -m tests.property.explorer --states 1000000
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.property.explorer.scenarios import EXHAUSTIVE
from tests.property.explorer.search import Search, Violation


def main(argv: Sequence[str]) -> int:
    """Explore; 1 when a law is broken, which is then printed with the way that led there."""
    parser = argparse.ArgumentParser(prog="python -m tests.property.explorer")
    parser.add_argument("--states", type=int, default=1_000_000, help="how many states to see")
    wanted = parser.parse_args(argv).states
    seen = 0
    for name, bounds in EXHAUSTIVE.items():
        if seen >= wanted:
            break
        try:
            explored = Search(bounds).run(limit=wanted - seen)
        except Violation as violation:
            print(f"{name}:\n{violation}")
            return 1
        print(f"{name}: {explored}", flush=True)
        seen += explored.states
    print(f"{seen:,} distinct states, every law holds")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
