"""What is sent of a tool's parameters."""

from __future__ import annotations

import json

import pytest

from perdure.core.declarations import ToolDefinition
from perdure.json_types import JsonObject
from perdure.providers.anthropic_request import encode_request as anthropic_body
from perdure.providers.base import ModelRequest
from perdure.providers.openai_dialect import Dialect
from perdure.providers.openai_request import Encoder
from perdure.providers.tool_schema import wire_schema


def test_a_tool_has_no_upper_bounds_of_length() -> None:
    sent = wire_schema(
        {
            "type": "object",
            "properties": {
                "maxLength": {"type": "string", "minLength": 1, "maxLength": 2000},
                "edits": {"type": "array", "maxItems": 9, "items": {"maxLength": 5}},
                "either": {"oneOf": [{"type": "string", "maxLength": 5}, {"const": 3}]},
            },
            "required": ["maxLength"],
            "additionalProperties": False,
        }
    )
    assert sent == {
        "type": "object",
        "properties": {
            "maxLength": {"type": "string", "minLength": 1},
            "edits": {"type": "array", "items": {}},
            "either": {"oneOf": [{"type": "string"}, {"const": 3}]},
        },
        "required": ["maxLength"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_neither_protocol_sends_them(protocol: str) -> None:
    parameters: JsonObject = {
        "type": "object",
        "properties": {"text": {"type": "string", "maxLength": 9}},
    }
    tool = ToolDefinition("t", "", parameters)
    request = ModelRequest("", [{"role": "user", "content": "hi"}], (tool,))
    if protocol == "openai":
        body = Encoder(model="m", options={}, dialect=Dialect()).encode(request)
    else:
        body = anthropic_body(request, model="m", options={})
    assert json.loads(body)["tools"]
    assert b"maxLength" not in body
