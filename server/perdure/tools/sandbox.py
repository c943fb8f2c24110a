"""Commands in a sandbox of bubblewrap: they can read what the user can, and write the workspace.

Everything else is read-only; ``/tmp`` and ``/run`` are empty and private to each command, which
also hides the sockets of other programs there; other processes are out of sight; the network is
off unless it is allowed. The hooks and the configuration of the workspace's repository stay
read-only, because git runs them outside of the sandbox.

The supervisor is outside of it and works as without one: the processes in the sandbox are its
descendants all the same.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perdure.errors import ToolError
from perdure.tools.programs import look
from perdure.tools.real_paths import opened

_SECONDS = 10
_NAMES_OF_HOSTS = "/run/systemd/resolve"
_REMEDY = "Nothing was run. The user can install bubblewrap, or set tools.sandbox to off."


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What commands may do beyond the workspace: write in ``directories``, use the network."""

    network: bool = False
    directories: Sequence[Path] = ()

    @property
    def description(self) -> str:
        """What the model has to know of it."""
        network = "the network can be used" if self.network else "there is no network"
        return (
            "Commands run in a sandbox: only the workspace and a private /tmp can be written, "
            f"and {network}."
        )

    async def wrapper(self, root: Path) -> list[str]:
        """Return what stands before a command that is to run in ``root``, a real path.

        Raises ToolError where bubblewrap is missing or cannot work, and OSError.
        """
        program = shutil.which("bwrap")
        if program is None:
            raise ToolError(f"The sandbox is on and bubblewrap (bwrap) is not there. {_REMEDY}")
        wrapper = [program, *self._options(root), "--"]
        with opened(root, os.O_DIRECTORY) as folder:
            tried = await look(
                [*wrapper, "true"], folder=folder, seconds=_SECONDS, take=lambda _: True
            )
        if tried.ending != "ended" or tried.exit_code != 0:
            reason = " ".join(tried.error.split()) or "it gives no reason"
            raise ToolError(
                f"The sandbox is on and bubblewrap does not work here: {reason}. {_REMEDY}"
            )
        return wrapper

    def _options(self, root: Path) -> list[str]:
        options = ["--unshare-all", *(["--share-net"] if self.network else [])]
        options += ["--cap-drop", "ALL"]  # root would keep what it needs to change the mounts
        options += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        options += ["--tmpfs", "/tmp", "--tmpfs", "/run", "--unsetenv", "TMPDIR"]  # noqa: S108
        if self.network:
            options += ["--ro-bind-try", _NAMES_OF_HOSTS, _NAMES_OF_HOSTS]
        for folder in (root, *self.directories):
            options += ["--bind", str(folder), str(folder)]
        return [*options, *_for_git(root / ".git"), "--chdir", str(root)]


def _for_git(git: Path) -> list[str]:
    """Return what keeps hooks and configuration of a repository as they are.

    Its folder is a mount of its own, so that it cannot be renamed and another put in its place.
    """
    if os.path.realpath(git) != str(git) or not git.exists():
        return []
    if not git.is_dir():
        return ["--ro-bind", str(git), str(git)]
    options = ["--bind", str(git), str(git)]
    hooks, config = git / "hooks", git / "config"
    if not os.path.lexists(hooks):
        options += ["--tmpfs", str(hooks), "--remount-ro", str(hooks)]
    for path in (hooks, config):
        if path.exists() and os.path.realpath(path) == str(path):
            options += ["--ro-bind", str(path), str(path)]
    return options
