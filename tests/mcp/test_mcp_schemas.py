"""Schemas of MCP tools in the subset: what they demand stays, what cannot be kept is refused."""

from __future__ import annotations

import pytest

from perdure.errors import ToolError
from perdure.json_types import JsonObject, JsonValue
from perdure.mcp.declared import Declared, Offer, declared
from perdure.mcp.errors import McpError
from perdure.mcp.schemas import in_subset
from perdure.tools.schema import check_schema

TEXT: JsonObject = {"type": "string"}


def properties(**members: JsonValue) -> JsonObject:
    """An object with these members."""
    return {"type": "object", "properties": members}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (properties(a=TEXT), properties(a=TEXT)),
        ({**properties(), "$schema": "x", "title": "T"}, properties()),
        (properties(title=TEXT), properties(title=TEXT)),
        (properties(a={**TEXT, "default": "x", "format": "uri"}), properties(a=TEXT)),
        (
            properties(a={"anyOf": [TEXT, {"type": "null"}], "default": None}),
            properties(a={"oneOf": [TEXT, {"type": "null"}]}),
        ),
        (
            properties(a={"type": ["string", "null"], "minLength": 1}),
            properties(a={"oneOf": [TEXT, {"type": "null"}], "minLength": 1}),
        ),
        (
            {**properties(a={"$ref": "#/$defs/A"}), "$defs": {"A": {**TEXT, "title": "A"}}},
            properties(a=TEXT),
        ),
        (
            properties(a={"type": "array", "items": {"title": "x", "type": "number"}}),
            properties(a={"type": "array", "items": {"type": "number"}}),
        ),
    ],
)
def test_in_subset(schema: JsonObject, expected: JsonObject) -> None:
    assert in_subset(schema) == expected
    check_schema(in_subset(schema))


@pytest.mark.parametrize(
    "part",
    [
        {"anyOf": [{"type": "integer"}, {"type": "number"}]},
        {"anyOf": [TEXT, {"type": "string", "minLength": 1}]},
        {"anyOf": [TEXT, True]},
        {"type": ["integer", "number"]},
        {"allOf": [TEXT]},
        {"not": TEXT},
        {"$ref": "https://example.com/schema"},
        {"$ref": "#/nowhere"},
        {"patternProperties": {}},
    ],
)
def test_what_the_subset_cannot_say_is_refused(part: JsonObject) -> None:
    with pytest.raises(ToolError):
        check_schema(in_subset(properties(a=part)))


def nested(depth: int) -> JsonObject:
    """An object in an object …"""
    schema: JsonObject = properties()
    for _ in range(depth):
        schema = properties(a=schema)
    return schema


def referring(references: dict[str, str]) -> JsonObject:
    """Objects with two members that both refer to the next one."""
    definitions: JsonObject = {
        name: properties(a=reference(to), b=reference(to)) for name, to in references.items()
    }
    first, last = next(iter(references)), list(references.values())[-1]
    return {**properties(a=reference(first)), "$defs": {last: TEXT, **definitions}}


def reference(name: str) -> JsonObject:
    """A reference to a definition."""
    return {"$ref": f"#/$defs/{name}"}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (nested(21), "20 deep"),
        (nested(5_000), "too deeply"),
        (properties(a={**TEXT, "description": "x" * 51_200}), "50 KB"),
        (referring({"A": "A"}), "itself"),
        (referring({str(i): str(i + 1) for i in range(18)}), "itself"),
    ],
)
def test_limits(schema: JsonObject, words: str) -> None:
    with pytest.raises(McpError, match=words):
        in_subset(schema)
    in_subset(nested(20))


def offer(name: str, **changes: JsonValue) -> Offer:
    """A tool that can be used, with changes."""
    values = {"description": "Does it.", "schema": properties(a=TEXT), **changes}
    return Offer(name, str(values["description"]), values["schema"])  # type: ignore[arg-type]


def names(found: Declared) -> list[str]:
    """The server's own names of what can be used."""
    return [name for name, _ in found.tools]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (offer("bad", description="é" * 4_097), "8 KB"),
        (offer("bad", schema=TEXT), "no object"),
        (offer("bad", schema=properties(a={"not": TEXT})), "parameters.properties.a.not"),
        (offer("bad" * 20), "too long"),
    ],
)
def test_a_tool_that_cannot_be_used_is_left_out_and_named(bad: Offer, words: str) -> None:
    found = declared("server", [offer("good"), bad])
    assert names(found) == ["good"]
    (sentence,) = found.left_out
    assert bad.name in sentence
    assert words in sentence


def test_the_order_of_a_list_does_not_count() -> None:
    """An interrupted run must not be blocked because its server lists in another order."""
    offers = [offer("b"), offer("a"), offer("c")]
    assert names(declared("server", offers)) == ["a", "b", "c"]
    assert declared("server", offers) == declared("server", offers[::-1])


def test_the_model_is_told_where_a_tool_comes_from() -> None:
    ((_, definition),) = declared("server", [offer("good")]).tools
    assert definition.description == "mcp:server/good: Does it."


@pytest.mark.parametrize(
    "offers", [[offer(f"t{i}") for i in range(65)], [offer("same"), offer("same")]]
)
def test_a_list_that_cannot_be_trusted_is_refused_whole(offers: list[Offer]) -> None:
    with pytest.raises(McpError):
        declared("server", offers)
    assert len(declared("server", [offer(f"t{i}") for i in range(64)]).tools) == 64
