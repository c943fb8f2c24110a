"""Undoing a run: every file that still is as the run left it becomes what it was before.

Nothing is written to the log, and nothing that others wrote is overwritten. Each file is replaced
atomically, so an undo that was killed can simply be called again. What a run created is removed;
its content stays kept beside the session.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias

from perdure.agent.changes import Change, hash_now
from perdure.agent.restoring import restore
from perdure.errors import ToolError
from perdure.protocol.changes import UndoneFile
from perdure.tools.images import kept_content
from perdure.tools.real_paths import remove_real
from perdure.tools.workspace import contained

Outcome: TypeAlias = Literal["restored", "removed", "changedSince", "alreadyReverted", "failed"]


@dataclass(frozen=True, slots=True)
class FileUndo:
    """What undoing a run means for one file: from the hash it has to the one it had.

    ``before`` is None where the file did not exist. ``outcome`` is what is to come of it.
    """

    path: Path
    before: str | None
    after: str
    outcome: Outcome


def file_undo(changes: Sequence[Change], now: str | None) -> FileUndo:
    """Plan the undo of a run's changes of one file, of which there is at least one.

    A file that something else changed between two of them counts as changed since.
    """
    images = [change.image for change in changes]
    before, after = images[0].before, images[-1].after
    builds_up = all(earlier.after == later.before for earlier, later in pairwise(images))
    outcome: Outcome = "changedSince"
    if now == before:
        outcome = "alreadyReverted"
    elif now == after and builds_up:
        outcome = "removed" if before is None else "restored"
    return FileUndo(images[0].path, before, after, outcome)


def perform(
    undo: FileUndo, *, root: Path, data: Path, directories: Sequence[Path] = ()
) -> UndoneFile:
    """Undo the changes of one file, if that is planned and still possible; never raises OSError.

    ``root`` is the workspace folder, ``data`` the session's own folder, ``directories`` are the
    folders beyond the workspace that the user allows now.
    """
    name = relative(undo.path, root)
    if undo.outcome not in ("restored", "removed"):
        return UndoneFile(path=name, outcome=undo.outcome)
    try:
        real = contained(str(undo.path), root=root, directories=directories)
        if real != undo.path or hash_now(undo.path) != undo.after:
            return UndoneFile(path=name, outcome="changedSince")
        _put_back(undo, data)
    except (OSError, ToolError) as error:
        return UndoneFile(path=name, outcome="failed", message=str(error))
    return UndoneFile(path=name, outcome=undo.outcome)


def relative(path: Path, root: Path) -> str:
    """Return the path as the user knows it: below the workspace folder where it is there."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _put_back(undo: FileUndo, data: Path) -> None:
    wanted = undo.after if undo.before is None else undo.before
    content = kept_content(data, wanted)
    if content is None:
        raise ToolError("Its content is not kept beside the session.")
    if undo.before is None:
        remove_real(undo.path)
    else:
        restore(undo.path, content, data)
