"""Where things live: one private directory per workspace folder, outside the repository.

::

    STATE/workspaces/<slug>-<12 hex>/workspace.json          path, device and inode of the folder
                                    /sessions/<time>_<id>.jsonl
                                             /<time>_<id>.d/  data of that session
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from perdure.core.ids import is_uuid7
from perdure.errors import StorageFailed, StoreError
from perdure.store._fs import PRIVATE_DIRECTORY, Files, make_private_directories, read_regular
from perdure.store._log import storage_error

_SLUG_LENGTH = 40
_ELSEWHERE = (
    "The setting sessionsDir, or else the variable PERDURE_STATE_DIR, names another place for "
    "the sessions."
)


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder and the directory that holds its sessions; neither need exist.

    ``recorded_root`` differs from ``root`` when the folder was renamed since.
    """

    root: Path
    directory: Path
    recorded_root: Path

    @property
    def sessions(self) -> Path:
        """Return the directory of the session files."""
        return self.directory / "sessions"


def state_directory(environ: Mapping[str, str], *, sessions_dir: str = "") -> Path:
    """Return STATE: the setting ``sessionsDir``, PERDURE_STATE_DIR or the platform's place."""
    chosen = sessions_dir or environ.get("PERDURE_STATE_DIR", "")
    if chosen:
        return Path(os.path.expanduser(chosen)).absolute()
    from platformdirs import user_state_path

    return user_state_path("perdure")


def canonical_path(folder: Path) -> Path:
    """Return the one name of a folder: no symbolic links; on Windows an upper-case drive."""
    real = os.path.realpath(folder)
    if sys.platform == "win32":
        drive, rest = os.path.splitdrive(real)
        return Path(drive.upper() + rest)
    return Path(real)


def environment_identity(folder: Path, environ: Mapping[str, str]) -> str:
    """Return who the effects belong to (section 16): the host's word, else the folder's path."""
    stated = environ.get("PERDURE_ENVIRONMENT_IDENTITY", "").strip()
    return stated or str(canonical_path(folder))


def locate_workspace(folder: Path, *, state: Path) -> Workspace:
    """Find the directory of ``folder``; creates nothing. Raises ``StorageFailed``.

    A folder without a directory of its own opens the record of a folder that is gone and had
    the same device and inode: it was renamed.
    """
    root = canonical_path(folder)
    workspaces = state / "workspaces"
    own = Workspace(root=root, directory=workspaces / _directory_name(root), recorded_root=root)
    try:
        is_known = own.directory.is_dir()
    except OSError as error:
        raise unusable(error, f"{own.directory} cannot be read") from error
    return own if is_known else _renamed(root, workspaces) or own


def prepare_workspace(files: Files, workspace: Workspace) -> None:
    """Create the directories 0700 and ``workspace.json``; existing ones become private again.

    Raises ``StorageFull`` or ``StorageFailed``.
    """
    record = workspace.directory / "workspace.json"
    if not os.path.isdir(workspace.root):
        raise StorageFailed(f"The folder {workspace.root} is not there any more; open another one.")
    try:
        make_private_directories(files, workspace.sessions)
        for directory in (workspace.directory, workspace.sessions):
            directory.chmod(PRIVATE_DIRECTORY)
        if not record.exists():
            _write_record(record, workspace.root)
            files.sync_directory(workspace.directory)
    except OSError as error:
        raise unusable(error, f"{workspace.sessions} could not be made") from error


def unusable(error: OSError, effect: str) -> StoreError:
    """Turn an error of the directory of the sessions into ours; say how to choose another."""
    ours = storage_error(error, effect)
    return StorageFailed(f"{ours} {_ELSEWHERE}") if isinstance(ours, StorageFailed) else ours


def session_file_name(session_id: str, created_at: int) -> str:
    """Return ``<UTC timestamp>_<id>.jsonl`` for ``created_at`` in ms since the epoch."""
    moment = datetime.fromtimestamp(created_at / 1000, tz=UTC)
    timestamp = f"{moment:%Y-%m-%dT%H-%M-%S}-{created_at % 1000:03d}Z"
    return f"{timestamp}_{session_id}.jsonl"


def session_id_in(name: str) -> str | None:
    """Return the id in the name of a session file, None when it is no such name."""
    stem, dot, suffix = name.partition(".")
    session_id = stem.rpartition("_")[2]
    return session_id if dot and suffix == "jsonl" and is_uuid7(session_id) else None


def data_path(session: Path) -> Path:
    """Return ``S.d`` beside the session file; whoever puts something there creates it, 0700."""
    return session.with_suffix(".d")


def _directory_name(root: Path) -> str:
    slug = re.sub(r"[^a-z0-9._-]+", "-", root.name.lower()).strip("-.")[:_SLUG_LENGTH]
    digest = sha256(os.fsencode(root)).hexdigest()[:12]
    return f"{slug or 'folder'}-{digest}"


def _renamed(root: Path, workspaces: Path) -> Workspace | None:
    try:
        identity = _identity(root)
        directories = sorted(workspaces.iterdir())
    except OSError:
        return None
    for directory in directories:
        try:
            record = json.loads(read_regular(directory / "workspace.json"))
            recorded = Path(record["path"])
            same = (record["device"], record["inode"]) == identity
            is_gone = not recorded.exists()
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if same and is_gone:
            return Workspace(root=root, directory=directory, recorded_root=recorded)
    return None


def _identity(root: Path) -> tuple[int, int]:
    status = root.stat()
    return status.st_dev, status.st_ino


def _write_record(record: Path, root: Path) -> None:
    device, inode = _identity(root)
    content = json.dumps({"path": str(root), "device": device, "inode": inode})
    unfinished = record.with_suffix(".tmp")
    unfinished.write_text(content, encoding="utf-8")
    unfinished.chmod(0o600)
    unfinished.replace(record)
