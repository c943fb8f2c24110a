"""What the trivial agent notes in ``notes.txt`` of its folder."""

from __future__ import annotations

import asyncio
from pathlib import Path


def notes(folder: Path) -> list[str]:
    """All notes so far."""
    file = folder / "notes.txt"
    return file.read_text().splitlines() if file.exists() else []


async def noted(folder: Path, prefix: str) -> str:
    """Wait for a note that begins with ``prefix``; return the rest of it."""
    async with asyncio.timeout(10):
        while True:
            for note in notes(folder):
                if note.startswith(prefix):
                    return note.removeprefix(prefix)
            await asyncio.sleep(0.02)
