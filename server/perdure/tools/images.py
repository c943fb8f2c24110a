"""What a file was before a call and is to be after it: ``S.d/images/<toolStartedId>.json``.

Noted before the file is replaced. When a crash takes the result of the call, the note and the
file together tell what became of it, without repeating anything.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from perdure.errors import ToolError
from perdure.tools.base import ToolContext
from perdure.tools.files import DiskFiles, Files, content_if_present
from perdure.tools.job_files import private_folder

Verdict: TypeAlias = Literal["applied", "notApplied", "changedSince", "unknown"]


@dataclass(frozen=True, slots=True)
class Image:
    """A file before and after a call, by SHA-256 in hex; ``before`` is None where there was none.

    ``path`` is a real path, ``success`` the text of the result when the call succeeds.
    """

    path: Path
    before: str | None
    after: str
    success: str


async def replace_noted(
    files: Files, path: Path, content: bytes, *, success: str, context: ToolContext
) -> None:
    """Replace the file as ``Files.replace`` does, after noting what it is and will be.

    That the note can not be made is no reason to refuse the call. What is changed in the editor
    is not noted: the file on disk tells nothing of it.
    """
    if files.in_editor:
        await files.replace(path, content)
        return
    with contextlib.suppress(OSError, ToolError):
        await asyncio.to_thread(_note, files, path, content, success, context)
    await files.replace(path, content)


def noted(data: Path, tool_started_id: str) -> Image | None:
    """Return the note of a call, None where there is none or it is damaged."""
    try:
        value = json.loads(_file(data, tool_started_id).read_bytes())
        path, before, after = value["path"], value["beforeSha256"], value["afterSha256"]
        success = value["success"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    known = all(isinstance(text, str) for text in (path, after, success, before or ""))
    return Image(Path(path), before, after, success) if known else None


def forget(data: Path, tool_started_id: str) -> None:
    """Remove the note of a call whose result is stored; harmless where there is none."""
    _file(data, tool_started_id).unlink(missing_ok=True)


def look(image: Image) -> Verdict:
    """Look at the file as it is now and say what became of the call."""
    if os.path.realpath(image.path) != str(image.path):
        return "changedSince"
    try:
        return judge(image, _sha256(DiskFiles(), image.path))
    except ToolError:
        return "changedSince"
    except OSError:
        return "unknown"


def judge(image: Image, now: str | None) -> Verdict:
    """Say what became of the call; ``now`` is the file's SHA-256, None where there is no file.

    A file that has the bytes it should have counts as written, whoever wrote them.
    """
    if now == image.after:
        return "applied"
    return "notApplied" if now == image.before else "changedSince"


def _note(files: Files, path: Path, content: bytes, success: str, context: ToolContext) -> None:
    """Write the note, atomically and, if results of power cuts count, durably."""
    value = {
        "path": str(path),
        "beforeSha256": _sha256(files, path),
        "afterSha256": hashlib.sha256(content).hexdigest(),
        "success": success,
    }
    file = _file(context.data, context.tool_started_id)
    private_folder(file.parent)
    _write(file, json.dumps(value).encode(), durable=context.durable)


def _write(file: Path, content: bytes, *, durable: bool) -> None:
    temporary = file.with_suffix(".tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as output:
            output.write(content)
            output.flush()
            if durable:
                os.fsync(descriptor)
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        _sync_folder(file.parent)


def _sha256(files: Files, path: Path) -> str | None:
    content = content_if_present(files, path)
    return None if content is None else hashlib.sha256(content).hexdigest()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _file(data: Path, tool_started_id: str) -> Path:
    return data / "images" / f"{tool_started_id}.json"
