"""Deleting a session: everything of it moves into ``trash/S/`` beside ``sessions/``.

The log moves last. A crash on the way leaves a session that is still listed; deleting it again
finishes the move. Nothing here ever empties the trash.
"""

from __future__ import annotations

from pathlib import Path

from perdure.store._fs import make_private_directories
from perdure.store._log import storage_error
from perdure.store.exclusive import exclusively
from perdure.store.options import StoreOptions


def move_to_trash(session: Path, options: StoreOptions) -> Path:
    """Move the log and all that lies beside it; return the folder where it is now.

    The session must not be open in this process. Raises ``SessionInUse``, ``SessionNotFound``,
    ``StorageFull`` and ``StorageFailed``.
    """
    folder = session.parent.parent / "trash" / session.stem
    with exclusively(session, options):
        try:
            make_private_directories(options.files, folder)
            for path in (*_beside(session), session):
                path.replace(folder / path.name)
            options.files.sync_directory(folder)
            options.files.sync_directory(session.parent)
        except OSError as error:
            raise storage_error(error, f"{session.name} could not be moved to the trash") from error
    return folder


def _beside(session: Path) -> list[Path]:
    """Return everything of the session but the log and the lock's own ``S.owner``."""
    stays = (session.name, session.with_suffix(".owner").name)
    found = (path for path in session.parent.iterdir() if path.name.startswith(f"{session.stem}."))
    return sorted(path for path in found if path.name not in stays)
