"""Which files the tools may touch: those of the workspace, after all links are resolved.

Beyond the workspace ``read`` may see the session's own ``tool-output`` folder, where commands
leave their complete output, and the folders of the user's own skills. Inside it nothing may
change ``.git``: hooks and configuration there are code that runs outside of every approval.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from perdure.errors import ToolError

NO_SKILLS: Mapping[str, Path] = MappingProxyType({})


def readable(
    path: str, *, root: Path, tool_output: Path, skills: Mapping[str, Path] = NO_SKILLS
) -> Path:
    """Return the real path of a file that ``read`` may open.

    ``path`` is absolute, relative to ``root``, or below one of the names of ``skills``, which are
    real folders. Raises ToolError with a sentence for the model.
    """
    real = _real(_in_a_skill(path, skills), root)
    folders = (root, Path(os.path.realpath(tool_output)), *skills.values())
    if any(real.is_relative_to(folder) for folder in folders):
        return real
    raise _outside(path)


def changeable(path: str, *, root: Path) -> Path:
    """Return the real path of a file that ``write`` and ``edit`` may replace.

    A link is followed to its target, which must be in the workspace as well. Raises ToolError.
    """
    real = contained(path, root=root)
    if any(part.casefold() == ".git" for part in real.relative_to(root).parts):
        raise ToolError(f"{path} belongs to git's own data; use git commands to change it.")
    return real


def contained(path: str, *, root: Path) -> Path:
    """Return the real path of what must be in the workspace. Raises ToolError."""
    real = _real(path, root)
    if not real.is_relative_to(root):
        raise _outside(path)
    return real


def _in_a_skill(path: str, skills: Mapping[str, Path]) -> str:
    for name, folder in skills.items():
        if path.startswith(f"{name}/"):
            return str(folder) + path.removeprefix(name)
    return path


def _real(path: str, root: Path) -> Path:
    if not path:
        raise ToolError("path must not be empty.")
    try:
        path.encode()
        real = os.path.realpath(root / path)
        resolved = os.path.realpath(real) == real
    except ValueError as error:
        raise ToolError("path has characters that no file name can have.") from error
    if not resolved:
        # Behind a link that leads to itself, realpath leaves all other links as they are.
        raise ToolError(f"{path} leads through a circle of links.")
    return Path(real)


def _outside(path: str) -> ToolError:
    return ToolError(f"{path} is outside of the workspace.")
