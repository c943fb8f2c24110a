"""Replacing a small file as a whole: readers see the old content or the new one."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from perdure.store._fs import Files, write_all


def replace_file(files: Files, path: Path, data: bytes, *, sync: bool) -> None:
    """Give ``path`` the content ``data``, 0600; with ``sync`` it is on stable storage on return.

    Raises ``OSError``; then the old content stands, unless only the directory could not be synced.
    """
    unfinished = path.with_name(f"{path.name}.tmp")
    unfinished.unlink(missing_ok=True)
    with ExitStack() as undo:
        fd = files.create(unfinished)
        undo.callback(unfinished.unlink)
        try:
            write_all(files, fd, data)
            if sync:
                files.sync(fd)
        finally:
            files.close(fd)
        unfinished.replace(path)
        undo.pop_all()
    if sync:
        files.sync_directory(path.parent)
