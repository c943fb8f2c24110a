"""What belongs to git itself: hooks and configuration there are code and credentials.

Nothing may change them outside of git, because they run outside of every approval; and nothing
reads them but git's own commands. ``.gitignore``, ``.gitattributes`` and ``.github`` are files like
any other.
"""

from __future__ import annotations

import os
from pathlib import Path

from perdure.tools.own_files import read_own

_INVISIBLE = dict.fromkeys(
    [0xFEFF, *range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070)]
)
_NAMES = (".git", "git~1")
_POINTER = b"gitdir:"


def belongs_to_git(real: Path, folder: Path) -> bool:
    """Whether the real path ``real``, in ``folder``, is part of git's data."""
    if any(_is_git(name) for name in real.relative_to(folder).parts):
        return True
    data = _data_elsewhere(folder)
    return data is not None and real.is_relative_to(data)


def _is_git(name: str) -> bool:
    """Whether some file system takes the name for ``.git``.

    Case does not count on macOS and Windows, nor do characters that HFS+ ignores, dots and blanks
    at the end, or the stream after a colon on NTFS.
    """
    visible = name.translate(_INVISIBLE).casefold()
    return visible.partition(":")[0].rstrip(". ") in _NAMES


def _data_elsewhere(folder: Path) -> Path | None:
    """Return where the data are when ``.git`` is a link, or a file that names their folder."""
    entry = folder / ".git"
    if entry.is_symlink():
        return Path(os.path.realpath(entry))
    try:
        content = read_own(entry)
        if content.startswith(_POINTER):
            named = os.fsdecode(content.removeprefix(_POINTER).strip())
            return Path(os.path.realpath(folder / named))
    except (OSError, ValueError):
        pass
    return None
