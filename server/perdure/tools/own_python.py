"""Starting a Python for a module of ours that must not run in the server's process."""

from __future__ import annotations

import sys
from pathlib import Path

import perdure

FOR_PYTHON = ("LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What Python itself needs to start: how paths are encoded, and where its own library may be."""


def own_python(module: str, *arguments: str) -> list[str]:
    """Return the command that calls ``main(*arguments)`` of a module of ours.

    The module may import nothing but the standard library and its like, so it starts fast, and
    neither the folder that it starts in nor the user's environment has a say in what it imports.
    """
    boot = (
        f"import sys; sys.path.append(sys.argv[1]); from {module} import main; main(*sys.argv[2:])"
    )
    packages = Path(perdure.__file__).parent.parent
    return [sys.executable, "-I", "-S", "-c", boot, str(packages), *arguments]
