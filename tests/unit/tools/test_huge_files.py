"""Files larger than memory: refused or read in pages, and no thread goes on for nobody."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from tests.unit.tools.bench import Bench

from perdure.json_types import JsonObject, JsonValue
from perdure.tools.base import Preview

TERABYTE = 1 << 40
EDITS: list[JsonValue] = [{"oldText": "a", "newText": "b"}]


def huge(bench: Bench) -> Path:
    """Make a file whose first page is full long before its end, which nobody can wait for."""
    path = bench.root / "huge"
    path.write_text("line\n" * 3000)
    os.truncate(path, TERABYTE)
    return path


@pytest.mark.asyncio
async def test_an_abandoned_read_leaves_no_thread_behind(bench: Bench) -> None:
    huge(bench)
    more_than_there_are_threads = 40
    reads = [bench.run("read", path="huge") for _ in range(more_than_there_are_threads)]
    _, pending = await asyncio.wait([asyncio.create_task(read) for read in reads], timeout=0.1)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    (bench.root / "small").write_text("at last\n")
    assert (await bench.run("read", path="small")).content == "at last\n"


def test_a_huge_file_is_not_edited(bench: Bench) -> None:
    huge(bench)
    expected = "Error: huge is larger than 64 MiB. Use bash to work on it."
    assert bench.error("edit", path="huge", edits=EDITS) == expected


def test_a_huge_file_can_be_replaced(bench: Bench) -> None:
    path = huge(bench)
    bench.ok("write", path="huge", content="small")
    assert path.read_text() == "small"


@pytest.mark.parametrize("tool", ["write", "edit"])
def test_a_huge_file_is_not_previewed(bench: Bench, tool: str) -> None:
    huge(bench)
    more: JsonObject = {"content": "small"} if tool == "write" else {"edits": EDITS}
    preview = bench.tool(tool).preview({"path": "huge", **more}, bench.root)
    assert asyncio.run(preview) == Preview()
