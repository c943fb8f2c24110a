"""The section ``mcp`` of the settings, and which servers can be used at all."""

from __future__ import annotations

import pytest

from perdure.agent.settings_layers import Layer
from perdure.agent.settings_loading import load
from perdure.json_types import JsonObject, JsonValue
from perdure.mcp.errors import McpError
from perdure.mcp.settings import specs
from perdure.mcp.spec import Secrets, ServerSpec, check, expanded


@pytest.mark.parametrize(
    "spec",
    [
        ServerSpec("a", command="server"),
        ServerSpec("a", url="https://example.com/mcp"),
        ServerSpec("a", url="http://127.0.0.1:8000/mcp"),
        ServerSpec("a", url="http://localhost/mcp"),
        ServerSpec("a", url="http://[::1]:8000/mcp"),
    ],
)
def test_can_be_used(spec: ServerSpec) -> None:
    check(spec)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (ServerSpec("a"), "either a command or a url"),
        (ServerSpec("a", command="server", url="https://example.com"), "either"),
        (ServerSpec("a", command="ser\0ver"), "NUL"),
        (ServerSpec("a", url="http://example.com/mcp"), "https"),
        (ServerSpec("a", url="http://127.0.0.1.example.com/mcp"), "https"),
        (ServerSpec("a", url="file:///etc/passwd"), "https"),
        (ServerSpec("a", url="https://user:secret@example.com"), "credentials"),
        (ServerSpec("a", url="http://[::1"), "not valid"),
    ],
)
def test_cannot_be_used(spec: ServerSpec, words: str) -> None:
    with pytest.raises(McpError, match=words) as caught:
        check(spec)
    assert "secret" not in str(caught.value)


def test_variables_of_the_environment_are_put_in_place() -> None:
    values = (("Authorization", "Bearer ${TOKEN}"), ("plain", "$TOKEN {TOKEN}"))
    assert expanded(values, {"TOKEN": "t"}) == {
        "Authorization": "Bearer t",
        "plain": "$TOKEN {TOKEN}",
    }
    with pytest.raises(McpError, match="TOKEN is not set"):
        expanded(values, {})


def test_secrets_are_what_the_settings_name_and_headers() -> None:
    spec = ServerSpec(
        "a",
        env=(("A", "${LONG}"), ("B", "${SHORT}"), ("LEVEL", "debugging")),
        headers=(("Authorization", "Bearer ${LONG}"), ("X-Key", "in the settings")),
    )
    secrets = Secrets(spec, {"LONG": "sk-0123456789", "SHORT": "on", "OTHER": "elsewhere"})
    text = "sk-0123456789 on debugging in the settings elsewhere"
    assert secrets.hidden(text) == "[secret] on debugging [secret] elsewhere"


def test_servers_come_from_all_layers_in_the_order_of_their_names() -> None:
    file: JsonObject = {"servers": {"z": {"command": "one", "args": ["-v"]}, "b": {"url": "u"}}}
    editor: JsonObject = {
        "servers": {"a": {"command": "two", "timeoutSeconds": 5}, "b": {"enabled": False}}
    }
    settings, problems = load([Layer("file", {"mcp": file}), Layer("editor", {"mcp": editor})])
    assert problems == []
    assert specs(settings.mcp) == [
        ServerSpec("a", command="two", timeout_seconds=5),
        ServerSpec("z", command="one", args=("-v",)),
    ]


@pytest.mark.parametrize(
    ("server", "path"),
    [
        ({"command": 1}, "mcp.servers.bad.command"),
        ({"headers": {"Authorization": 17}}, "mcp.servers.bad.headers"),
        ({"commnad": "x"}, "mcp.servers.bad.commnad"),
        ({"timeoutSeconds": 0}, "mcp.servers.bad.timeoutSeconds"),
        ("x", "mcp.servers.bad"),
    ],
)
def test_one_that_is_wrong_is_named_and_the_others_stand(server: JsonValue, path: str) -> None:
    servers: JsonObject = {"bad": server, "good": {"command": "x"}}
    settings, problems = load([Layer("file", {"mcp": {"servers": servers}})])
    assert [problem.path for problem in problems] == [path]
    assert settings.mcp.servers["good"].command == "x"
