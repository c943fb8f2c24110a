"""Arguments of commands against the types of the protocol."""

from __future__ import annotations

import pytest

from perdure.errors import CommandError
from perdure.json_types import JsonObject, JsonValue
from perdure.lsp.arguments import parse
from perdure.protocol.methods import COMMANDS

FILE: JsonObject = {"kind": "file", "uri": "file:///a"}
START: JsonObject = {"line": 1, "character": 0}
SHAPES = {command.name: command.arguments for command in COMMANDS}


@pytest.mark.parametrize(
    ("command", "arguments", "message"),
    [
        ("prompt", [], "arguments[0].text is missing."),
        ("prompt", [None], "arguments[0].text is missing."),
        ("prompt", [{"text": None}], "arguments[0].text is missing."),
        ("prompt", [{"text": 5}], "arguments[0].text should be a string."),
        ("prompt", ["hello"], "arguments[0] should be an object."),
        ("prompt", [[]], "arguments[0] should be an object."),
        ("prompt", [{}, {}], "arguments: at most one is expected, 2 were given."),
        (
            "prompt",
            [{"text": "a", "newSession": 1}],
            "arguments[0].newSession should be true or false.",
        ),
        ("wait", [{"timeoutSeconds": True}], "arguments[0].timeoutSeconds should be a number."),
        ("wait", [{"timeoutSeconds": "9"}], "arguments[0].timeoutSeconds should be a number."),
        ("status", [{"workspaceFolder": 1}], "arguments[0].workspaceFolder should be a string."),
        (
            "approve",
            [{"approvalId": "a", "decision": "yes"}],
            "arguments[0].decision should be one of "
            "allow, allowForSession, allowForWorkspace, deny.",
        ),
        (
            "prompt",
            [{"text": "a", "attachments": {}}],
            "arguments[0].attachments should be a list.",
        ),
        (
            "prompt",
            [{"text": "a", "attachments": [5]}],
            "arguments[0].attachments[0] should be an object.",
        ),
        (
            "prompt",
            [{"text": "a", "attachments": [FILE, {"kind": "file"}]}],
            "arguments[0].attachments[1].uri is missing.",
        ),
        (
            "prompt",
            [{"text": "a", "attachments": [FILE | {"kind": "video"}]}],
            "arguments[0].attachments[0].kind should be one of file, selection, diagnostics.",
        ),
        (
            "prompt",
            [{"text": "a", "attachments": [FILE | {"range": {"start": START}}]}],
            "arguments[0].attachments[0].range.end is missing.",
        ),
        (
            "prompt",
            [{"text": "a", "attachments": [FILE | {"range": {"start": {"line": 1.5}}}]}],
            "arguments[0].attachments[0].range.start.line should be a whole number.",
        ),
        (
            "approve",
            [{"approvalId": "a", "decision": ["allow"]}],
            "arguments[0].decision should be one of "
            "allow, allowForSession, allowForWorkspace, deny.",
        ),
    ],
)
def test_what_does_not_fit(command: str, arguments: list[JsonValue], message: str) -> None:
    with pytest.raises(CommandError) as caught:
        parse(SHAPES[f"perdure.{command}"], arguments)
    assert (str(caught.value), caught.value.code) == (message, "invalid_params")


@pytest.mark.parametrize(
    ("command", "arguments", "parsed"),
    [
        ("status", [], {}),
        ("status", [None], {}),
        ("status", [{"later": 1}], {}),
        ("wait", [{"timeoutSeconds": 1}], {"timeoutSeconds": 1}),
        ("wait", [{"timeoutSeconds": 1.5}], {"timeoutSeconds": 1.5}),
        ("prompt", [{"text": "a", "sessionId": None}], {"text": "a"}),
        (
            "prompt",
            [{"text": "a", "attachments": [FILE | {"range": {"start": START, "end": START}}]}],
            {"text": "a", "attachments": [FILE | {"range": {"start": START, "end": START}}]},
        ),
        ("prompt", [{"text": "a", "attachments": []}], {"text": "a", "attachments": []}),
        (
            "approve",
            [{"approvalId": "a", "decision": "deny", "message": "no"}],
            {"approvalId": "a", "decision": "deny", "message": "no"},
        ),
    ],
)
def test_what_fits(command: str, arguments: list[JsonValue], parsed: JsonValue) -> None:
    assert parse(SHAPES[f"perdure.{command}"], arguments) == parsed
