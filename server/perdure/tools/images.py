"""What a file was before a call and is to be after it: ``S.d/images/<toolStartedId>.json``.

Noted before the file is replaced. When a crash takes the result of the call, the note and the
file together tell what became of it, without repeating anything. The contents themselves are kept
by their hash, ``S.d/images/sha256/<hex>``: a run can be looked at and undone.
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
from perdure.tools.files import DiskFiles, Files, content_if_present, unfinished
from perdure.tools.own_files import private_folder, read_own, write_own
from perdure.tools.real_paths import remove_real

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

    That the note cannot be made is no reason to refuse the call. What is changed in the editor
    is not noted: the file on disk tells nothing of it.
    """
    if not files.in_editor:
        with contextlib.suppress(OSError, ToolError):
            await asyncio.to_thread(_note, files, path, content, success, context)
    await files.replace(path, content, tool_started_id=context.tool_started_id)


def noted(data: Path, tool_started_id: str) -> Image | None:
    """Return the note of a call, None where there is none or it is damaged."""
    try:
        value = json.loads(read_own(_file(data, tool_started_id)))
        path, before, after = value["path"], value["beforeSha256"], value["afterSha256"]
        success = value["success"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    known = all(isinstance(text, str) for text in (path, after, success, before or ""))
    return Image(Path(path), before, after, success) if known else None


def discard_unfinished(data: Path, tool_started_id: str) -> None:
    """Remove what a killed server left beside the file that this call was replacing.

    What cannot be removed stays: it is no reason to keep the call open.
    """
    image = noted(data, tool_started_id)
    if image is not None:
        with contextlib.suppress(OSError):
            remove_real(unfinished(image.path, tool_started_id))


def kept_content(data: Path, sha256: str) -> bytes | None:
    """Return the content of this hash, None where it is not kept or is damaged."""
    try:
        content = read_own(_content_file(data, sha256))
    except OSError:
        return None
    return content if hashlib.sha256(content).hexdigest() == sha256 else None


def look(image: Image) -> Verdict:
    """Look at the file as it is now and say what became of the call."""
    try:
        return judge(image, sha256_now(image.path))
    except ToolError:
        return "changedSince"
    except OSError:
        return "unknown"


def sha256_now(path: Path) -> str | None:
    """Return the hash of the file at a real path, None where there is no file.

    Raises OSError, and ToolError where links have changed or something else is in its place.
    """
    if os.path.realpath(path) != str(path):
        raise ToolError(f"{path.name} is behind a link now.")
    content = content_if_present(DiskFiles(), path)
    return None if content is None else hashlib.sha256(content).hexdigest()


def judge(image: Image, now: str | None) -> Verdict:
    """Say what became of the call; ``now`` is the file's SHA-256, None where there is no file.

    A file that has the bytes it should have counts as written, whoever wrote them.
    """
    if now == image.after:
        return "applied"
    return "notApplied" if now == image.before else "changedSince"


def _note(files: Files, path: Path, content: bytes, success: str, context: ToolContext) -> None:
    """Keep both contents and write the note, each atomically.

    Where results of power cuts count, what is about to be replaced and the note are durable.
    """
    before = content_if_present(files, path)
    file = _file(context.data, context.tool_started_id)
    private_folder(file.parent)
    kept_before = None if before is None else _keep(context.data, before, durable=context.durable)
    value = {
        "path": str(path),
        "beforeSha256": kept_before,
        "afterSha256": _keep(context.data, content, durable=False),
        "success": success,
    }
    write_own(file, json.dumps(value).encode(), durable=context.durable)


def _keep(data: Path, content: bytes, *, durable: bool) -> str:
    """Keep a content, unless it is kept already; return its hash."""
    sha256 = hashlib.sha256(content).hexdigest()
    if kept_content(data, sha256) is None:
        file = _content_file(data, sha256)
        private_folder(file.parent)
        write_own(file, content, durable=durable)
    return sha256


def _content_file(data: Path, sha256: str) -> Path:
    return data / "images" / "sha256" / sha256


def _file(data: Path, tool_started_id: str) -> Path:
    return data / "images" / f"{tool_started_id}.json"
