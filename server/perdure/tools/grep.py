"""The built-in ``grep``: lines that match, in files on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from perdure.core.declarations import ToolDefinition
from perdure.core.text import without_lone_surrogates
from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.tools.arguments import whole_number
from perdure.tools.base import ToolContext, ToolResult
from perdure.tools.found_lines import FoundLines, Line
from perdure.tools.limits import MAX_BYTES, rest
from perdure.tools.looking import LookingTool, place_named
from perdure.tools.searching import Query, find_lines, find_lines_in
from perdure.tools.secret_files import is_secret
from perdure.tools.text import success, with_notes
from perdure.tools.workspace import shown

_DEFAULT_LIMIT = 100
_ADVICE = "Use a narrower pattern, path or glob."
_SECRETS = "Files that may hold credentials (.env, *.pem, .npmrc and the like) are not searched."

_DEFINITION = ToolDefinition(
    name="grep",
    description=(
        "Search the text files of the workspace for lines that match a regular expression. Faster "
        "and easier to read than grep in bash. What .gitignore hides, binary files, git's own data "
        "and files that may hold credentials are not searched. Sees what is saved on disk."
    ),
    parameters={
        "type": "object",
        "properties": {
            "pattern": {
                "type": "string",
                "minLength": 1,
                "maxLength": 2_000,
                "description": "Regular expression for a line",
            },
            "path": {
                "type": "string",
                "description": "File or folder to search, default the whole workspace",
            },
            "glob": {
                "type": "string",
                "maxLength": 500,
                "description": "Only files that match, such as *.py or src/**/*.{ts,tsx}",
            },
            "ignoreCase": {"type": "boolean"},
            "context": {
                "type": "integer",
                "minimum": 0,
                "maximum": 10,
                "description": "Lines to show before and after each match, default 0",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 1_000,
                "description": "Matches to show at most, default 100",
            },
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
)


class GrepTool(LookingTool):
    """Searches without being asked for: it never leaves the workspace and reads no credentials."""

    definition = _DEFINITION
    subject = "pattern"

    def validate(self, arguments: JsonObject) -> str | None:
        """See ``Tool``."""
        problem = super().validate(arguments)
        if problem is None and "\0" in f"{arguments['pattern']}{arguments.get('glob')}":
            return "pattern and glob must not contain NUL characters."
        return problem

    async def perform(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See ``BuiltinTool``."""
        place = self.place(arguments, context)
        query = _query(arguments)
        if await asyncio.to_thread(place.is_dir):
            found = await find_lines(place, query)
        elif is_secret(place):
            raise ToolError(f"{place_named(arguments)}: {_SECRETS} Use read, which asks the user.")
        else:
            found = await find_lines_in(place, query)
        limit = whole_number(arguments, "limit", default=_DEFAULT_LIMIT)
        return success(_rendered(found, shown(place, context.root), limit))


def _query(arguments: JsonObject) -> Query:
    glob = arguments.get("glob")
    return Query(
        pattern=without_lone_surrogates(str(arguments["pattern"])),
        glob=without_lone_surrogates(glob) if isinstance(glob, str) else None,
        ignore_case=arguments.get("ignoreCase") is True,
        context=whole_number(arguments, "context", default=0),
    )


def _rendered(found: FoundLines, place: str, limit: int) -> str:
    """Return ``path:12:line`` for each line, as many as ``limit`` matches and 50 KB allow."""
    if not found.matches and found.complete:
        return f"No matches. {_SECRETS}"
    lines: list[str] = []
    matches = 0
    room = MAX_BYTES
    for path, line in _in_order(found):
        sign = ":" if line.is_match else "-"
        text = f"{_below(place, path)}{sign}{line.number}{sign}{line.text}\n"
        room -= len(text.encode("utf-8", "replace"))
        if room < 0 or (line.is_match and matches == limit):
            break
        lines.append(text)
        matches += line.is_match
    notes = rest(found.matches - matches, "matches", complete=found.complete, advice=_ADVICE)
    return with_notes("".join(lines), notes)


def _in_order(found: FoundLines) -> Iterator[tuple[str, Line]]:
    for path in sorted(found.by_path):
        for line in found.by_path[path]:
            yield path, line


def _below(place: str, path: str) -> str:
    return f"{place}/{path}".removeprefix("./") if path else place
