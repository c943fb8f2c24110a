"""The built-in ``glob``: files by the patterns of their paths."""

from __future__ import annotations

from perdure.core.declarations import ToolDefinition
from perdure.core.text import without_lone_surrogates
from perdure.json_types import JsonObject
from perdure.tools.arguments import whole_number
from perdure.tools.base import ToolContext, ToolResult
from perdure.tools.limits import bounded, rest
from perdure.tools.looking import LookingTool
from perdure.tools.searching import find_files
from perdure.tools.text import success, with_notes
from perdure.tools.workspace import shown

_DEFAULT_LIMIT = 200

_DEFINITION = ToolDefinition(
    name="glob",
    description=(
        "Find files by name. A pattern without a slash is for the name in any folder (*.py), one "
        "with a slash for the whole path (src/**/test_*.py). What .gitignore hides is not listed."
    ),
    parameters={
        "type": "object",
        "properties": {
            "pattern": {
                "type": "string",
                "minLength": 1,
                "maxLength": 500,
                "description": "* and ? within a name, ** for any folders, {a,b} for a choice",
            },
            "path": {
                "type": "string",
                "description": "Folder to look in, default the whole workspace",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 2_000,
                "description": "Files to list at most, default 200",
            },
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
)


class GlobTool(LookingTool):
    """Lists regular files, in order; follows no links."""

    definition = _DEFINITION
    subject = "pattern"

    async def perform(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See ``BuiltinTool``."""
        folder = self.place(arguments, context)
        pattern = without_lone_surrogates(str(arguments["pattern"]))
        found = await find_files(folder, pattern)
        if not found.paths and found.complete:
            return success("No files match.")
        place = "" if folder == context.root else f"{shown(folder, context.root)}/"
        limit = whole_number(arguments, "limit", default=_DEFAULT_LIMIT)
        lines = bounded((f"{place}{name}" for name in found.paths), limit)
        advice = "Use a narrower pattern or path."
        left = len(found.paths) - len(lines)
        notes = rest(left, "files", complete=found.complete, advice=advice)
        return success(with_notes("\n".join(lines), notes))
