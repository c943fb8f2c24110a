"""Pieces of session files for tests, written down independently of the product."""

from __future__ import annotations

import hashlib
import json
from typing import Literal, TypeAlias

from perdure.json_types import JsonObject, JsonValue

IdKind: TypeAlias = Literal[
    "session", "entry", "record", "usage", "operation", "step", "attempt", "result", "free"
]

_KINDS: dict[IdKind, str] = {
    "session": "000",
    "entry": "e00",
    "record": "ec0",
    "usage": "05a",
    "operation": "0b0",
    "step": "57e",
    "attempt": "a77",
    "result": "4e5",
    "free": "fee",
}
START = 1_700_000_000_000
ZERO_DIGEST = "sha256:" + "0" * 64
TEXTS = {
    "invalidArguments": "Error: Tool arguments were invalid; the tool was not executed.",
    "unknownTool": "Error: Unknown tool; the tool was not executed.",
    "truncated": "Error: Tool call arguments were truncated by the model token limit; "
    "the tool was not executed.",
    "aborted": "Operation aborted before execution.",
    "interrupted": "Operation interrupted after execution status became unknown; "
    "the tool was not replayed.",
}


def uid(kind: IdKind, number: int) -> str:
    """Return the ``number``-th id of a kind, counted from 1."""
    return f"018f0000-0000-7{_KINDS[kind]}-8000-{number:012x}"


def sha256(value: JsonValue) -> str:
    """Return the digest of canonical JSON; for values with ASCII keys and without numbers."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def default_header() -> JsonObject:
    """Return the header of every log that does not say otherwise."""
    return {
        "kind": "header",
        "version": 2,
        "id": uid("session", 1),
        "createdAt": START,
        "cwd": "/workspace",
        "provider": "demo",
        "model": "test/model",
        "environmentIdentity": "fixture",
    }


def snapshot(*tools: str, model: str = "test/model") -> JsonObject:
    """Return a configuration snapshot; the tools have zero digests."""
    return {
        "model": model,
        "systemPromptDigest": ZERO_DIGEST,
        "tools": [{"name": name, "definitionDigest": ZERO_DIGEST} for name in tools],
        "adapterIdentity": "demo:scripted:v1",
        "routingIdentity": "demo:scripted",
        "outputOptionsDigest": ZERO_DIGEST,
    }


def encode(line: JsonValue | bytes) -> bytes:
    """Return the bytes of one line with its LF."""
    if isinstance(line, bytes):
        return line + b"\n"
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def function_call(index: int, name: str, arguments: JsonObject | str) -> JsonObject:
    """Return a call; ``arguments`` given as text stands as it is. Ids are ``call_1``, …"""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function: JsonObject = {"name": name, "arguments": text}
    return {"id": f"call_{index + 1}", "type": "function", "function": function}


def tool_message(call: JsonObject, content: str) -> JsonObject:
    """Return the message that answers ``call``."""
    return {"role": "tool", "content": content, "tool_call_id": call["id"]}


def object_at(value: JsonValue, key: str) -> JsonObject:
    """Return an object that is a member of an object."""
    assert isinstance(value, dict)
    member = value[key]
    assert isinstance(member, dict)
    return member


def text_at(value: JsonValue, key: str) -> str:
    """Return a string that is a member of an object."""
    assert isinstance(value, dict)
    member = value[key]
    assert isinstance(member, str)
    return member


def as_dict(value: object) -> dict[str, object]:
    """Narrow to an object whose members may be set to anything."""
    assert isinstance(value, dict)
    return value
