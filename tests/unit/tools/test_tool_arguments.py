"""Arguments are checked against the supported schema subset, schemas on admission."""

from __future__ import annotations

import pytest

from perdure.errors import ToolError
from perdure.json_types import JsonObject, JsonValue
from perdure.tools.arguments import violation
from perdure.tools.schema import check_schema


def one_property(schema: JsonObject) -> JsonObject:
    return {"type": "object", "properties": {"x": schema}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "text"),
        ({"type": "integer"}, 1),
        ({"type": "integer"}, 1.0),
        ({"type": "number", "exclusiveMinimum": 0}, 0.5),
        ({"type": "boolean"}, True),
        ({"type": "null"}, None),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 2}, ["a", "b"]),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"any": 1}),
        ({"enum": ["a", 1]}, 1),
        ({"const": None}, None),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, 1),
        ({"pattern": "^a+$"}, "aaa"),
        ({"type": "string", "minLength": 2, "maxLength": 2}, "\N{PILE OF POO}x"),
        ({}, [{"anything": 1}]),
    ],
)
def test_fitting_values_pass(schema: JsonObject, value: JsonValue) -> None:
    check_schema(schema)
    assert violation(one_property(schema), {"x": value}) is None


@pytest.mark.parametrize(
    ("schema", "value", "sentence"),
    [
        ({"type": "string"}, 1, "x must be a string."),
        ({"type": "integer"}, True, "x must be an integer."),
        ({"type": "integer"}, 1.5, "x must be an integer."),
        ({"type": "number"}, "1", "x must be a number."),
        ({"type": "object"}, [], "x must be an object."),
        ({"type": "null"}, 0, "x must be null."),
        ({"type": "integer", "minimum": 1}, 0, "x must be at least 1."),
        ({"type": "number", "exclusiveMinimum": 0}, 0, "x must be greater than 0."),
        ({"type": "number", "exclusiveMaximum": 9}, 9, "x must be less than 9."),
        ({"type": "number", "maximum": 9}, 10, "x must be at most 9."),
        ({"type": "string", "minLength": 1}, "", "x must not be empty"),
        ({"type": "string", "maxLength": 1}, "ab", "x must have at most 1 character(s)."),
        ({"type": "array", "minItems": 2}, [1], "x must have at least 2 item(s)."),
        ({"type": "array", "items": {"type": "string"}}, ["a", 1], "x[1] must be a string."),
        ({"enum": ["a", "b"]}, "c", "x must be one of a, b."),
        ({"enum": [1]}, True, "x must be one of 1."),
        ({"const": 1}, 2, "x is not the one value that is allowed."),
        ({"pattern": "^a$"}, "b", "x must match ^a$."),
        (
            {"oneOf": [{"type": "string"}, {"minLength": 1}]},
            "a",
            "x must fit exactly one of 2 forms.",
        ),
        (
            {"properties": {"y": {"type": "string"}}, "required": ["y"]},
            {},
            "x.y is required.",
        ),
    ],
)
def test_the_sentence_names_the_path(schema: JsonObject, value: JsonValue, sentence: str) -> None:
    check_schema(schema)
    assert violation(one_property(schema), {"x": value}) == sentence


def test_unknown_arguments_are_refused() -> None:
    assert violation(one_property({}), {"y": 1}) == "y is not an argument of this tool."


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"allOf": []}, "parameters.allOf"),
        ({"properties": {"a": {"format": "uri"}}}, "parameters.properties.a.format"),
        ({"items": {"uniqueItems": True}}, "parameters.items.uniqueItems"),
        ({"oneOf": [{"$ref": "#"}]}, "parameters.oneOf[0].$ref"),
        ({"type": "text"}, "parameters.type"),
        ({"type": ["string", "null"]}, "parameters.type"),
        ({"pattern": "("}, "parameters.pattern"),
        ({"minLength": -1}, "parameters.minLength"),
        ({"minimum": "1"}, "parameters.minimum"),
        ({"enum": []}, "parameters.enum"),
        ({"required": [1]}, "parameters.required"),
        ({"properties": {"a": 1}}, "parameters.properties.a"),
        (True, "parameters"),
    ],
)
def test_schemas_beyond_the_subset_are_refused(schema: JsonValue, place: str) -> None:
    with pytest.raises(ToolError) as caught:
        check_schema(schema)
    assert str(caught.value).split(":")[0].split(" ")[0] == place
