"""What the editor offers with a prompt: the current file, a selection, diagnostics."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

from perdure.agent.context.blocks import NO_IMAGES, image_block, offered_block
from perdure.agent.context.mentions import Target
from perdure.agent.context.reading import Reader, folder_of, is_image
from perdure.errors import CommandError, ToolError
from perdure.protocol.editor import Attachment, Range
from perdure.protocol.uris import file_path
from perdure.tools.workspace import LONGEST_PATH


@dataclass(frozen=True, slots=True)
class Attached:
    """``block`` is empty where there is nothing to quote; ``problem`` ends a sentence.

    ``folder`` is where instructions for it may be, None outside of the workspace.
    """

    path: str
    block: str
    folder: str | None = None
    problem: str = ""


async def attached(attachment: Attachment, reader: Reader, *, where: str) -> Attached:
    """Return an attachment as a block.

    Text that the client gives is taken as it is, from wherever it is; else the file, or the lines
    that the range touches, are read, which only files of the workspace can be. Raises
    ``CommandError`` ``invalid_params`` that names ``where`` for one without what its kind needs.
    """
    text, lines = attachment.get("text"), _lines(attachment.get("range"))
    path = file_path(attachment["uri"])
    if text is None and (attachment["kind"] == "diagnostics" or path is None):
        raise CommandError(f"{where}.text is missing: it cannot be read from the uri.")
    if text is None and attachment["kind"] == "selection" and lines is None:
        raise CommandError(f"{where} needs a range or a text.")
    shown = await _shown(path, reader) or attachment["uri"]
    if is_image(shown):
        return Attached(shown, image_block(shown), problem=NO_IMAGES)
    if text is None:
        wanted = lines if attachment["kind"] == "selection" else None
        return await _read(attachment, reader, shown, wanted)
    folder = None if path is None else folder_of(shown)
    return Attached(shown, offered_block(attachment, shown, text, lines), folder)


async def _read(
    attachment: Attachment, reader: Reader, path: str, lines: tuple[int, int] | None
) -> Attached:
    try:
        found = await reader.find(Target(path, lines))
    except ToolError as error:
        return Attached(path, "", problem=str(error).removesuffix("."))
    if found is None or found.kind != "file":
        return Attached(path, "", problem="there is no such file")
    return Attached(path, offered_block(attachment, path, found.text, lines), found.folder)


async def _shown(path: str | None, reader: Reader) -> str | None:
    if path is None or len(path) > LONGEST_PATH:
        return None
    return reader.relative(Path(await asyncio.to_thread(os.path.realpath, path)))


def _lines(wanted: Range | None) -> tuple[int, int] | None:
    """Return the lines that a range touches, counted from 1: not one that it only ends before."""
    if wanted is None:
        return None
    first, last = wanted["start"]["line"] + 1, wanted["end"]["line"] + 1
    if wanted["end"]["character"] == 0 and last > first:
        last -= 1
    return first, max(first, last)
