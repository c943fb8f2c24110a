"""Giving a file an earlier content, so that even a kill leaves nothing beside it for good.

While that is done ``S.d/restoring.json`` says of which file. What a killed server left beside it
is removed when the session is opened, and before the next file is restored.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from perdure.errors import ToolError
from perdure.tools.files import replace_atomically, unfinished
from perdure.tools.own_files import private_folder, read_own, write_own
from perdure.tools.real_paths import remove_real


def restore(path: Path, content: bytes, data: Path) -> None:
    """Replace the file at a real path; ``data`` is the own folder of the session.

    Raises OSError and ToolError.
    """
    discard_unfinished(data)
    _remove_unfinished(path, data)
    private_folder(data)
    write_own(_note(data), json.dumps(str(path)).encode(), durable=True)
    try:
        replace_atomically(path, content, name=_name(data))
    finally:
        _note(data).unlink()


def discard_unfinished(data: Path) -> None:
    """Remove what a killed server left beside the file that it was restoring.

    What cannot be removed stays, and is not looked for again.
    """
    try:
        path = json.loads(read_own(_note(data)))
    except FileNotFoundError:
        return
    except (OSError, ValueError, RecursionError):
        path = None
    if isinstance(path, str):
        _remove_unfinished(Path(path), data)
    with contextlib.suppress(OSError):
        _note(data).unlink()


def _remove_unfinished(path: Path, data: Path) -> None:
    with contextlib.suppress(OSError, ToolError, ValueError):  # a note may hold what is no path
        remove_real(unfinished(path, _name(data)))


def _note(data: Path) -> Path:
    return data / "restoring.json"


def _name(data: Path) -> str:
    """Return what no other session calls its unfinished files."""
    return f"undo-{data.stem}"
