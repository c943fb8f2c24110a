"""The built-in ``read``: pages of complete lines.

Bytes that are not UTF-8 are shown as U+FFFD with a note; a file with NUL bytes is refused.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from perdure.core.declarations import ToolDeclaration, ToolDefinition
from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.tools.arguments import whole_number
from perdure.tools.base import ToolContext, ToolResult
from perdure.tools.builtin import BuiltinTool
from perdure.tools.files import Files, FilesFor
from perdure.tools.text import success, with_notes
from perdure.tools.workspace import NO_SKILLS, readable

MAX_LINES = 2_000
MAX_BYTES = 50 * 1024
_BOM = b"\xef\xbb\xbf"
_CHUNK = 1024 * 1024

_DEFINITION = ToolDefinition(
    name="read",
    description=(
        "Read a UTF-8 text file; preferred to cat or sed for looking at files. Returns up to "
        "2,000 complete lines or 50KB, and says with which offset to go on."
    ),
    parameters={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "File to read, relative to the workspace or absolute",
            },
            "offset": {
                "type": "integer",
                "minimum": 1,
                "description": "First line to read, counted from 1",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "description": "How many lines to read at most",
            },
        },
        "required": ["path"],
        "additionalProperties": False,
    },
)


class ReadTool(BuiltinTool):
    """The one tool whose replay is safe (section 14.5)."""

    __slots__ = ("_directories", "_files_for", "_skills")

    definition = _DEFINITION

    def __init__(
        self,
        files_for: FilesFor,
        *,
        directories: Sequence[Path] = (),
        skills: Mapping[str, Path] = NO_SKILLS,
    ) -> None:
        """``directories`` and ``skills``: see ``workspace.readable``."""
        self._files_for = files_for
        self._directories = directories
        self._skills = skills

    @property
    def declaration(self) -> ToolDeclaration:
        """Definition and replay policy."""
        return replace(super().declaration, replay="safe")

    async def perform(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See ``BuiltinTool``."""
        path = str(arguments["path"])
        offset = whole_number(arguments, "offset", default=1)
        limit = min(whole_number(arguments, "limit", default=MAX_LINES), MAX_LINES)
        page = _Page(offset=offset, limit=limit)
        real = readable(
            path,
            root=context.root,
            tool_output=context.data / "tool-output",
            directories=self._directories,
            skills=self._skills,
        )
        files = await self._files_for(real)
        try:
            return success(await asyncio.to_thread(_read, files, real, path, page))
        finally:
            page.abandoned.set()


@dataclass(slots=True)
class _Page:
    """Lines from ``offset`` on, as long as they fit.

    ``abandoned`` ends the thread that reads when nobody waits for it any more: counting the
    lines of a huge file takes long.
    """

    offset: int
    limit: int
    text: list[str] = field(default_factory=list)
    size: int = 0
    replaced: bool = False
    full: bool = False
    abandoned: threading.Event = field(default_factory=threading.Event)

    @property
    def last(self) -> int:
        return self.offset + len(self.text) - 1

    def add(self, line: bytes) -> None:
        """Take the line, or find that the page is full."""
        text = line.decode("utf-8", "replace")
        size = len(text.encode())
        if len(self.text) == self.limit or self.size + size > MAX_BYTES:
            self.full = True
            return
        self.replaced = self.replaced or text.encode() != line
        self.text.append(text)
        self.size += size


def _read(files: Files, real: Path, path: str, page: _Page) -> str:
    with files.open(real) as file:
        return _read_page(file, path, page)


def _read_page(file: BinaryIO, path: str, page: _Page) -> str:
    """Fill and return the page; memory stays constant however long the file or its lines are."""
    offset = page.offset
    number = 0
    if file.read(len(_BOM)) != _BOM:
        file.seek(0)
    while not page.abandoned.is_set() and (line := file.readline(MAX_BYTES + 1)):
        number += 1
        if number >= offset and not page.full:
            if b"\0" in line:
                raise ToolError(f"{path} is a binary file. Use bash to inspect it.")
            page.add(line)
        _skip_to_line_end(file, line, page)
    if number == 0 and offset == 1:
        return "(empty file)"
    if offset > number:
        raise ToolError(f"Offset {offset} is beyond end of file ({number} lines total).")
    return _rendered(page, number)


def _rendered(page: _Page, number: int) -> str:
    if not page.text:
        return (
            f"Line {page.offset} exceeds 50KB. "
            "Use bash with a byte-oriented command to inspect this line."
        )
    notes = []
    if page.replaced:
        notes.append("[Bytes that are not UTF-8 are shown as \N{REPLACEMENT CHARACTER}.]")
    if page.last < number:
        notes.append(
            f"[Showing lines {page.offset}-{page.last} of {number}. "
            f"Use offset={page.last + 1} to continue.]"
        )
    return with_notes("".join(page.text), notes)


def _skip_to_line_end(file: BinaryIO, line: bytes, page: _Page) -> None:
    while not line.endswith(b"\n") and not page.abandoned.is_set():
        line = file.readline(_CHUNK)
        if not line:
            return
