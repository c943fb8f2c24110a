"""The tool ``diagnostics``: what the editor reports. Offered where the client can be asked."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from perdure.core.declarations import ToolDefinition
from perdure.json_types import JsonObject
from perdure.protocol.editor import EditorDiagnostic, FileDiagnostics
from perdure.protocol.uris import file_path
from perdure.tools.base import ToolContext, ToolResult
from perdure.tools.limits import bounded, rest
from perdure.tools.looking import LookingTool, place_named
from perdure.tools.text import one_line, success, with_notes
from perdure.tools.workspace import shown

AskEditor: TypeAlias = Callable[[str | None], Awaitable[Sequence[FileDiagnostics]]]
"""Asks for the diagnostics of one URI, or of all files. Raises ToolError."""

_LIMIT = 200
_LONGEST_MESSAGE = 500
_OWN = "perdure"
_SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}

_DEFINITION = ToolDefinition(
    name="diagnostics",
    description=(
        "Return the problems that the editor shows now: what its language servers, compilers and "
        "linters report. They may need a moment after a change, and may not look at files that "
        "are not open."
    ),
    parameters={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "File or folder, default the whole workspace",
            },
        },
        "additionalProperties": False,
    },
)


class _Problem(NamedTuple):
    """A problem and its place, counted from 1; they are shown in this order."""

    path: str
    line: int
    column: int
    text: str


class DiagnosticsTool(LookingTool):
    """Hands on what the client says of files in the workspace."""

    __slots__ = ("_ask",)

    definition = _DEFINITION

    def __init__(self, ask: AskEditor, *, directories: Sequence[Path] = ()) -> None:
        """``directories`` are the folders beyond the workspace that the user allows."""
        super().__init__(directories=directories)
        self._ask = ask

    async def perform(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See ``BuiltinTool``."""
        place = self.place(arguments, context)
        is_file = await asyncio.to_thread(place.is_file)
        files = await self._ask(place.as_uri() if is_file else None)
        problems = sorted(_problems(files, place, context.root))
        if not problems:
            where = "the workspace" if place == context.root else place_named(arguments)
            return success(f"The editor reports no problems for {where}.")
        lines = bounded((f"{it.path}:{it.line}:{it.column}: {it.text}" for it in problems), _LIMIT)
        advice = "Ask for one file."
        notes = rest(len(problems) - len(lines), "problems", complete=True, advice=advice)
        return success(with_notes("\n".join(lines), notes))


def _problems(files: Sequence[FileDiagnostics], place: Path, root: Path) -> Iterator[_Problem]:
    for file in files:
        path = file_path(file["uri"])
        real = None if path is None else Path(os.path.realpath(path))
        if real is not None and real.is_relative_to(place):
            name = shown(real, root)
            for diagnostic in file["diagnostics"]:
                if diagnostic.get("source") != _OWN:
                    yield _problem(name, diagnostic)


def _problem(path: str, diagnostic: EditorDiagnostic) -> _Problem:
    start = diagnostic["range"]["start"]
    severity = _SEVERITIES.get(diagnostic.get("severity", 1), "error")
    origin = f"{diagnostic.get('source', '')} {diagnostic.get('code', '')}".strip()
    text = f"{severity}: {one_line(diagnostic['message'], _LONGEST_MESSAGE)}"
    return _Problem(
        path, start["line"] + 1, start["character"] + 1, f"{text} ({origin})" if origin else text
    )
