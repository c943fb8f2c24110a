"""Running the ``perdure`` command as a real process, without keys and with a state of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

COMMAND = (sys.executable, "-m", "perdure")


@dataclass(frozen=True)
class Cli:
    """A user with an empty workspace folder; ``home`` holds everything Perdure keeps."""

    home: Path
    folder: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def environ(self) -> dict[str, str]:
        """The environment of the process: what finds programs, and nothing of ours."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {
            **kept,
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "PERDURE_STATE_DIR": str(self.home / "state"),
            **self.variables,
        }

    def run(self, *words: str | Path, timeout: float = 60) -> subprocess.CompletedProcess[bytes]:
        """Run a command to its end, without a terminal."""
        return subprocess.run(
            [*COMMAND, *map(str, words)],
            cwd=self.folder,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )

    def configure(self, text: str) -> None:
        """Write the user's ``config.toml``."""
        file = self.home / "config" / "perdure" / "config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    @property
    def sessions(self) -> list[Path]:
        """The session files, oldest first."""
        return sorted((self.home / "state").glob("workspaces/*/sessions/*.jsonl"))


def new_cli(directory: Path, **variables: str) -> Cli:
    """Make the folders below ``directory``."""
    cli = Cli(home=directory / "home", folder=directory / "project", variables=variables)
    cli.home.mkdir()
    cli.folder.mkdir()
    return cli
