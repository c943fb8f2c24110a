"""Entry point of the ``perdure`` command."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line."""
    match sys.argv[1:]:
        case ["serve", *rest]:
            from perdure.cli.serve import run

            return run(rest)
        case _:
            print("usage: perdure serve", file=sys.stderr)
            return 2
