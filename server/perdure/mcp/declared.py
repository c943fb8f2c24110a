"""What a server offers, judged: which of its tools the model is told of, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perdure.core.declarations import ToolDefinition
from perdure.core.text import without_lone_surrogates
from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.mcp.errors import McpError
from perdure.mcp.names import shown_name, tool_name
from perdure.mcp.schemas import in_subset
from perdure.tools.schema import check_schema
from perdure.tools.text import one_line

MAX_TOOLS = 64
MAX_DESCRIPTION = 8 * 1024


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool as its server lists it."""

    name: str
    description: str
    schema: JsonObject


@dataclass(frozen=True, slots=True)
class Declared:
    """The tools that can be used, by name: the server's own one and the definition for the model.

    ``left_out`` says of every other one why it is not among them.
    """

    tools: Sequence[tuple[str, ToolDefinition]]
    left_out: Sequence[str]


def declared(server: str, offers: Sequence[Offer]) -> Declared:
    """Judge the offers of a server, in the order of their names: that of a list may change.

    Raises ``McpError`` for more than 64 tools or two of one name: then none can be trusted to be
    the one that is meant (section 24).
    """
    if len(offers) > MAX_TOOLS:
        raise McpError(f"offers {len(offers)} tools; at most {MAX_TOOLS} can be used")
    if len({offer.name for offer in offers}) < len(offers):
        raise McpError("offers two tools of one name")
    tools: list[tuple[str, ToolDefinition]] = []
    left_out: list[str] = []
    for offer in sorted(offers, key=lambda offer: offer.name):
        try:
            tools.append((offer.name, _definition(server, offer)))
        except McpError as error:
            left_out.append(f"{one_line(offer.name)}: {str(error).rstrip('.')}")
    return Declared(tools, left_out)


def _definition(server: str, offer: Offer) -> ToolDefinition:
    description = without_lone_surrogates(offer.description)
    if len(description.encode()) > MAX_DESCRIPTION:
        raise McpError("its description has more than 8 KB")
    parameters = in_subset(offer.schema)
    if parameters.get("type") != "object":
        raise McpError("its arguments are no object")
    try:
        check_schema(parameters)
    except ToolError as error:
        raise McpError(str(error)) from None
    shown = shown_name(server, offer.name)
    return ToolDefinition(
        name=tool_name(server, offer.name),
        description=f"{shown}: {description}" if description else shown,
        parameters=parameters,
    )
