"""All measurements, one table: ``python -m tests.benchmarks``.

::

    make bench
    python -m tests.benchmarks --only B1,B4 --quick
    python -m tests.benchmarks --only peers --peer 'other=other-agent run "{model}"'

What is compared is measured in one run and in turns; ratios count, not milliseconds. The table
goes to the terminal, and with machine, date and command to a JSON file.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import traceback
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.bench import Bench, Measure, Peer
from tests.benchmarks.figures import Figure, table

MEASURES = {
    "B1": "b01_reduce",
    "B2": "b02_commit",
    "B3": "b03_sync",
    "B4": "b04_reopen",
    "B5": "b05_start",
    "B6": "b06_turns",
    "B7": "b07_delta",
    "B8": "b08_memory",
    "B9": "b09_search",
    "B10": "b10_transcript",
    "B11": "b11_idle",
    "B12": "b12_abort",
    "peers": "peers",
}
"""The module of each; it is imported when its turn comes."""


def main(arguments: Sequence[str]) -> int:
    """Measure what was asked for, print the table, write the JSON file; 0 unless one failed."""
    options = _options(arguments)
    names = options.only.split(",") if options.only else list(MEASURES)
    figures: list[Figure] = []
    failed = False
    for name in names:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            figures += _measured(name, options)
        except Exception:  # noqa: BLE001 - what the others measure counts all the same
            traceback.print_exc()
            failed = True
        Path(options.json).write_text(json.dumps(_report(figures), indent=1), encoding="utf-8")
    print(table(figures))
    return int(failed)


def _options(arguments: Sequence[str]) -> Namespace:
    parser = ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--only", help=f"some of {', '.join(MEASURES)}, with commas")
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    parser.add_argument("--json", default="build/benchmarks.json", help="file for the results")
    parser.add_argument("--directory", help="where the files go; its disk is what is measured")
    parser.add_argument(
        "--peer",
        action="append",
        default=[],
        metavar="NAME=COMMAND",
        help="a program to put beside ours; may be repeated",
    )
    options = parser.parse_args(arguments)
    Path(options.json).parent.mkdir(parents=True, exist_ok=True)
    return options


def _measured(name: str, options: Namespace) -> Iterator[Figure]:
    measure: Measure = import_module(f"tests.benchmarks.{MEASURES[name]}").measure
    peers = [Peer(*peer.split("=", 1)) for peer in options.peer]
    with TemporaryDirectory(prefix="perdure-bench-", dir=options.directory) as folder:
        yield from measure(Bench(Path(folder), quick=options.quick, peers=peers))


def _report(figures: Sequence[Figure]) -> dict[str, object]:
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.machine()}, {os.cpu_count()} CPUs, {platform.platform()}",
        "python": platform.python_version(),
        "load": os.getloadavg(),
        "command": " ".join(sys.argv),
        "figures": [figure.as_json() for figure in figures],
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
