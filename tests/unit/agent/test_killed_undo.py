"""A server that is killed in the middle of an undo, and what it leaves beside the user's file."""

from __future__ import annotations

import asyncio
import hashlib
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.agent_home import agent_at, session_file, talk

from perdure.agent.undo import FileUndo, perform
from perdure.store.places import data_path

REPOSITORY = Path(__file__).parents[3]
LONG = "early " * 2000
RUN = ('call: write {"path": "file", "content": "late"}', "---", "text: done")
KILLED_IN_THE_MIDDLE = """
import pathlib, resource, signal, sys
from tests.unit.agent.test_killed_undo import undo
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
undo(*map(pathlib.Path, sys.argv[1:]))
"""


def undo(root: Path, data: Path) -> None:
    """Undo what the run did to ``file``."""
    before, after = (hashlib.sha256(text.encode()).hexdigest() for text in (LONG, "late"))
    perform(FileUndo(root / "file", before, after, "restored"), root=root, data=data)


def _killed(home: Path) -> tuple[Path, Path]:
    """Run, and kill the undo of it; return the workspace and the session's own folder."""
    root = home.resolve() / "work"
    root.mkdir()
    (root / "file").write_text(LONG)
    asyncio.run(_open(home, *RUN))
    data = data_path(session_file(home))
    done = subprocess.run(
        [sys.executable, "-c", KILLED_IN_THE_MIDDLE, str(root), str(data)],
        capture_output=True,
        check=False,
        cwd=REPOSITORY,
    )
    assert done.returncode == -signal.SIGXFSZ, done.stderr
    assert len(list(root.iterdir())) == 2
    assert (root / "file").read_text() == "late"
    return root, data


async def _open(home: Path, *script: str) -> None:
    async with agent_at(home) as agent:
        if script:
            await talk(agent, *script)


def test_opening_the_session_removes_it(tmp_path: Path) -> None:
    root, data = _killed(tmp_path)
    asyncio.run(_open(tmp_path))
    assert [path.name for path in root.iterdir()] == ["file"]
    assert (root / "file").read_text() == "late"
    assert not (data / "restoring.json").exists()


def test_the_next_undo_removes_it(tmp_path: Path) -> None:
    root, data = _killed(tmp_path)
    undo(root, data)
    assert [path.name for path in root.iterdir()] == ["file"]
    assert (root / "file").read_text() == LONG
    assert not (data / "restoring.json").exists()


@pytest.mark.parametrize(
    "note",
    [b"", b"7", b'""', b'"file"', b'"/a\\u0000b"', b'"/\\ud800/b"', b"[" * 100_000],
    ids=lambda note: repr(note[:9]),
)
def test_a_damaged_note_is_in_no_way(tmp_path: Path, note: bytes) -> None:
    root, data = _killed(tmp_path)
    (data / "restoring.json").write_bytes(note)
    asyncio.run(_open(tmp_path))
    undo(root, data)
    assert [path.name for path in root.iterdir()] == ["file"]
    assert (root / "file").read_text() == LONG
