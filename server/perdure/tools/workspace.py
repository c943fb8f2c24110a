"""Which files the tools may touch: those of the workspace, after all links are resolved.

The user may allow other folders. Beyond these ``read`` may see the session's own ``tool-output``
folder, where commands leave their complete output, and the folders of the user's own skills. What
belongs to git's own data is refused everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from perdure.errors import ToolError
from perdure.tools.git_data import belongs_to_git

LONGEST_PATH = 4096
"""Characters: no system opens a longer one, and following it takes the square of its length."""

NO_SKILLS: Mapping[str, Path] = MappingProxyType({})


def readable(
    path: str,
    *,
    root: Path,
    tool_output: Path,
    directories: Sequence[Path] = (),
    skills: Mapping[str, Path] = NO_SKILLS,
) -> Path:
    """Return the real path of a file that ``read`` may open.

    ``path`` is absolute, relative to ``root``, or below one of the names of ``skills``, which are
    real folders. Raises ToolError with a sentence for the model.
    """
    output = Path(os.path.realpath(tool_output))
    folders = (root, *directories, output, *skills.values())
    return _within(folders, path, real_path(_in_a_skill(path, skills), root))


def contained(path: str, *, root: Path, directories: Sequence[Path] = ()) -> Path:
    """Return the real path of what must be in the workspace or an allowed folder.

    ``root`` and ``directories`` are real paths. A link is followed to its target, which must be
    there as well. Raises ToolError with a sentence for the model.
    """
    return _within((root, *directories), path, real_path(path, root))


def real_path(path: str, root: Path) -> Path:
    """Return the path after all links, wherever that is; relative ones begin at ``root``.

    Raises ToolError for what cannot be a path.
    """
    if not path:
        raise ToolError("path must not be empty.")
    if len(path) > LONGEST_PATH:
        raise ToolError(f"path must not be longer than {LONGEST_PATH} characters.")
    if path == "~" or path.startswith("~/") or "://" in path:
        raise ToolError(f"{path} is no path in the workspace: neither ~ nor URIs are understood.")
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


def shown(real: Path, root: Path) -> str:
    """Return the path as the model knows it: below the workspace folder where it is there."""
    return real.relative_to(root).as_posix() if real.is_relative_to(root) else str(real)


def _within(folders: Sequence[Path], path: str, real: Path) -> Path:
    around = [folder for folder in folders if real.is_relative_to(folder)]
    if not around:
        raise _outside(path)
    if any(belongs_to_git(real, folder) for folder in around):
        raise ToolError(f"{path} belongs to git's own data; use git commands to see or change it.")
    return real


def _in_a_skill(path: str, skills: Mapping[str, Path]) -> str:
    for name, folder in skills.items():
        if path.startswith(f"{name}/"):
            return str(folder) + path.removeprefix(name)
    return path


def _outside(path: str) -> ToolError:
    return ToolError(f"{path} is outside of the workspace.")
