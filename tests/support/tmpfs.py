"""A file system that is really small."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted_tmpfs(place: Path, *, size: int) -> Iterator[Path]:
    """Make ``place`` a file system of ``size`` bytes; skips where mounting is not allowed."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a tmpfs needs root")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)
