"""The tool ``fetch``: the text of one page. Offered only where the user has turned it on."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from perdure.core.declarations import ToolDefinition
from perdure.core.text import without_lone_surrogates
from perdure.errors import ToolError
from perdure.json_types import JsonObject, JsonValue
from perdure.tools.arguments import whole_number
from perdure.tools.base import ToolContext, ToolResult
from perdure.tools.builtin import BuiltinTool
from perdure.tools.limits import MAX_BYTES
from perdure.tools.programs import Output, look, own_program
from perdure.tools.real_paths import opened
from perdure.tools.text import one_line, success, with_notes
from perdure.tools.urls import checked_url

SECONDS = 30
MOST_BYTES = 2 * 1024 * 1024
_MOST_PRINTED = 16 * MOST_BYTES
_LONGEST_URL = 2_000

_DEFINITION = ToolDefinition(
    name="fetch",
    description=(
        "Get one page from the web by GET and return its readable text, up to 50KB. Only http and "
        "https; private and local addresses are refused; scripts are not run. A redirect to "
        "another site is told, not followed."
    ),
    parameters={
        "type": "object",
        "properties": {
            "url": {
                "type": "string",
                "minLength": 1,
                "maxLength": _LONGEST_URL,
                "description": "Address of the page",
            },
            "offset": {
                "type": "integer",
                "minimum": 0,
                "description": "Characters of the text to pass over, to go on in a long page",
            },
        },
        "required": ["url"],
        "additionalProperties": False,
    },
)


class FetchTool(BuiltinTool):
    """Gets what anybody could get: it sends nothing of the user."""

    __slots__ = ("_private_hosts",)

    definition = _DEFINITION
    subject = "url"

    def __init__(self, private_hosts: Sequence[str] = ()) -> None:
        """``private_hosts`` may be fetched from although their addresses are private."""
        self._private_hosts = private_hosts

    def title(self, arguments: JsonObject) -> str:
        """See ``Tool``. Who is asked about it sees the whole address."""
        return one_line(f"fetch: {arguments.get('url', '')}", limit=_LONGEST_URL + 10)

    async def perform(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See ``BuiltinTool``."""
        url = without_lone_surrogates(str(arguments["url"]))
        checked_url(url)
        page = await self._page(url, context)
        match page:
            case {"error": "", "url": str(place), "text": str(text)}:
                reason = one_line(str(page["reason"]))
                head = f"{one_line(place, limit=_LONGEST_URL)} ({page['status']} {reason})"
            case _:
                raise ToolError(f"{url} could not be fetched: {page.get('error')}")
        offset = whole_number(arguments, "offset", default=0)
        return success(f"{head}\n\n{_part(text, offset, cut=page['cut'] is True)}")

    async def _page(self, url: str, context: ToolContext) -> JsonObject:
        """Return what ``fetch_program`` wrote."""
        request: JsonObject = {
            "url": url,
            "hosts": [host.casefold() for host in self._private_hosts],
            "seconds": SECONDS + 1,
            "most_bytes": MOST_BYTES,
        }
        command = own_program("perdure.tools.fetch_program", request)
        output = Output(_MOST_PRINTED)
        with opened(context.root, os.O_DIRECTORY) as folder:
            looked = await look(command, folder=folder, seconds=SECONDS, take=output.take)
        if looked.ending == "timeout":
            raise ToolError(f"{url} did not answer in full within {SECONDS} s.")
        try:
            page: JsonValue = json.loads(output.data)
        except ValueError:
            page = None
        return page if isinstance(page, dict) else {"error": looked.error[-200:]}


def _part(text: str, offset: int, *, cut: bool) -> str:
    """Return 50 KB of the text from ``offset`` on, and notes about the rest."""
    part = text[offset:].encode("utf-8", "replace")[:MAX_BYTES].decode("utf-8", "ignore")
    end = offset + len(part)
    notes = []
    if end < len(text):
        notes.append(f"[Characters {offset}-{end} of {len(text)}. Use offset={end} to continue.]")
    if cut:
        notes.append("[The page is larger than 2 MiB; the rest was not read.]")
    return with_notes(part or "(no text)", notes)
