"""B9: a workspace of 200,000 files: opening it, and the first ``grep`` and ``glob``."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure
from tests.benchmarks.lab import gaps, lab
from tests.support.lsp_client import start_server, workspace
from tests.support.model_replies import calls_reply, text_reply

FILES = 200_000
PER_FOLDER = 100
STARTS = 5
WORD = "needle_in_the_hay"
BESIDE = (
    ("grep", "rg", ["rg", "--line-number", "--sort", "path", WORD]),
    ("glob", "rg --files", ["rg", "--files", "--hidden"]),
    ("glob", "find", ["find", ".", "-name", "*_7.py"]),
)


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure the time to the status, and the tools beside ripgrep and ``find``."""
    files = bench.scaled(FILES)
    home = bench.folder("search")
    _grow(home / "work", files)
    places = (home, bench.folder("search-nothing"))
    ready = [[asyncio.run(_ready(place)) for place in places] for _ in range(STARTS)]
    large, empty = map(min, zip(*ready, strict=True))
    yield Figure(
        measure="B9",
        what=f"workspace of {files} files ready",
        value=large,
        unit="ms",
        beside="an empty one",
        beside_value=empty,
        at_most=1.1,
    )
    found = asyncio.run(_search(home))
    for tool, name, command in BESIDE:
        if shutil.which(command[0]):
            yield Figure(
                measure="B9",
                what=f"first {tool}",
                value=found[tool],
                unit="ms",
                beside=name,
                beside_value=_run(command, home / "work"),
                at_most=1.5,
            )


async def _search(home: Path) -> dict[str, float]:
    replies = [
        calls_reply(("read", {"path": "0/file_0.py"})),
        calls_reply(("glob", {"pattern": "**/*_7.py"})),
        calls_reply(("grep", {"pattern": WORD})),
        text_reply("done"),
    ]
    async with lab(home, replies) as work:
        await work.talk()
        _, glob, grep = gaps(work.timeline)
        return {"glob": glob, "grep": grep}


async def _ready(home: Path) -> float:
    """Return the ms from ``initialize`` to the status."""
    async with start_server(home) as client:
        await client.initialize([workspace(home)])
        began = time.perf_counter()
        await client.command("status")
        return (time.perf_counter() - began) * 1e3


def _grow(root: Path, files: int) -> None:
    """Make folders of small files; one in a thousand has the word."""
    for number in range(files):
        folder = root / str(number // PER_FOLDER)
        if number % PER_FOLDER == 0:
            folder.mkdir(parents=True)
        text = f"value = {number}\n" + (f"# {WORD}\n" if number % 1000 == 0 else "")
        (folder / f"file_{number % PER_FOLDER}.py").write_text(text)


def _run(command: Sequence[str], folder: Path) -> float:
    """Return the ms that a command takes; its files have been read before, as for the tools."""
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=False)
    return (time.perf_counter() - began) * 1e3
