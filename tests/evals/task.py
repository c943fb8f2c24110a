"""The tasks: a folder each, with the prompt, the files at the start and a verifier.

::

    prompt.md       what the agent is asked for
    start/          the workspace at the beginning
    verify.py       run in the workspace at the end; what it asserts, the agent never sees
    solution.txt    how the demo model solves it: its script, see perdure.providers.script
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "tasks"
VERIFY_SECONDS = 60


@dataclass(frozen=True)
class Task:
    """One task."""

    folder: Path

    @property
    def name(self) -> str:
        """Its name."""
        return self.folder.name

    @property
    def prompt(self) -> str:
        """What the agent is asked for."""
        return (self.folder / "prompt.md").read_text("utf-8")

    @property
    def solution(self) -> str:
        """The script of the demo model."""
        return (self.folder / "solution.txt").read_text("utf-8")

    def set_up(self, workspace: Path) -> None:
        """Make the workspace as it is at the beginning."""
        shutil.copytree(self.folder / "start", workspace)

    def problem(self, workspace: Path) -> str | None:
        """Return None where the task is done, else the last line of what the verifier says."""
        verifier = subprocess.run(
            [sys.executable, "-B", self.folder / "verify.py"],
            cwd=workspace,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERIFY_SECONDS,
            check=False,
        )
        if verifier.returncode == 0:
            return None
        return verifier.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2] or "failed"


def all_tasks() -> list[Task]:
    """Return the tasks in the order of their names."""
    return [Task(prompt.parent) for prompt in sorted(FOLDER.glob("*/prompt.md"))]
