"""A server that is killed in the middle of replacing a file, and what it leaves beside the file."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

from perdure.tools.base import ToolContext
from perdure.tools.files import unfinished
from perdure.tools.images import discard_unfinished, noted
from perdure.tools.registry import builtin_tools

CALL = "0192b3c0-0000-7000-8000-000000000001"
KILLED_IN_THE_MIDDLE = """
import pathlib, resource, signal, sys
from tests.unit.tools.test_killed_replacement import write
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
write(pathlib.Path(sys.argv[1]))
"""


def write(root: Path) -> None:
    """Make one call that replaces ``file``."""
    tool = builtin_tools().get("write")
    assert tool is not None
    context = ToolContext(root, root.parent / "session.d", CALL, False, lambda _: None)
    asyncio.run(tool.execute({"path": "file", "content": "new" * 5000}, context))


def test_it_can_be_found_and_removed(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "work"
    root.mkdir()
    file = root / "file"
    write(root)  # its contents are kept now, so that the limit meets the file itself
    file.write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", KILLED_IN_THE_MIDDLE, str(root)],
        capture_output=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == -signal.SIGXFSZ, done.stderr
    left = unfinished(file, CALL)
    assert sorted(root.iterdir()) == [left, file]
    assert noted(tmp_path / "session.d", CALL) is not None
    discard_unfinished(tmp_path / "session.d", CALL)
    assert list(root.iterdir()) == [file]
    assert file.read_text() == "old"
    discard_unfinished(tmp_path / "session.d", CALL)
