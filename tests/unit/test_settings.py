"""Settings: layers, unknown keys, wrong types."""

from __future__ import annotations

from pathlib import Path

import pytest

from perdure.agent.settings import Settings
from perdure.agent.settings_layers import Layer, environment_layer, file_layer
from perdure.agent.settings_loading import load
from perdure.json_types import JsonValue

DEFAULTS: JsonValue = {
    "model": {
        "provider": "auto",
        "name": "",
        "baseUrl": "",
        "apiKeyEnv": "",
        "contextWindow": 0,
        "maxOutputTokens": 0,
        "requestTimeoutSeconds": 600,
        "thinking": "default",
        "prices": {"input": None, "output": None, "cacheRead": None, "cacheWrite": None},
    },
    "resume": "auto",
    "approval": {"bash": "ask", "write": "ask", "edit": "ask", "fetch": "ask"},
    "compaction": {"auto": True, "threshold": 0.8},
    "mcp": {"servers": {}},
    "telemetry": {"endpoint": "", "content": False},
    "tools": {
        "directories": [],
        "fetch": False,
        "fetchHosts": [],
        "sandbox": "off",
        "network": False,
    },
    "durability": "barrier",
    "runningCommands": "kill",
    "maskSecrets": False,
    "trusted": True,
    "sessionsDir": "",
}


def test_defaults_are_those_of_the_protocol() -> None:
    assert Settings().model_dump(by_alias=True) == DEFAULTS


def test_a_complete_object_is_accepted_whole() -> None:
    settings, problems = load([Layer("file", DEFAULTS, of_user=True)])
    assert (settings, problems) == (Settings(), [])


def test_what_leads_beyond_the_workspace_is_the_users_own_to_say() -> None:
    tools: JsonValue = {"directories": ["/data"], "fetchHosts": ["localhost"], "fetch": True}
    settings, problems = load([Layer("editor", {"tools": tools})])
    assert (settings.tools.directories, settings.tools.fetch_hosts) == ([], [])
    assert [problem.path for problem in problems] == ["tools.directories", "tools.fetchHosts"]
    settings, problems = load([Layer("config.toml", {"tools": tools}, of_user=True)])
    assert (settings.tools.directories, settings.tools.fetch_hosts) == (["/data"], ["localhost"])
    assert problems == []


def test_a_higher_layer_wins_key_by_key() -> None:
    settings, problems = load(
        [
            Layer("file", {"model": {"name": "low", "contextWindow": 8}, "resume": "never"}),
            Layer("editor", {"model": {"name": "high"}, "approval": {"bash": "deny"}}),
            environment_layer({"PERDURE_BASE_URL": "http://localhost", "PERDURE_MODEL": ""}),
        ]
    )
    assert problems == []
    assert (settings.model.name, settings.model.context_window) == ("high", 8)
    assert settings.model.base_url == "http://localhost"
    assert (settings.resume, settings.approval.bash) == ("never", "deny")


@pytest.mark.hazard("bad settings: the server stays up and says so")
@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"colour": 1}, "colour"),
        ({"model": {"base_url": "x"}}, "model.base_url"),
        ({"model": 7}, "model"),
        ({"sessionsDir": "/a\0b"}, "sessionsDir"),
        ({"sessionsDir": "relative"}, "sessionsDir"),
        ({"model": {"contextWindow": "200k"}}, "model.contextWindow"),
        ({"model": {"contextWindow": -1}}, "model.contextWindow"),
        ({"model": {"requestTimeoutSeconds": 0}}, "model.requestTimeoutSeconds"),
        ({"compaction": "on"}, "compaction"),
        ({"approval": {"bash": True}}, "approval.bash"),
        ({"approval": {"sudo": "allow"}}, "approval.sudo"),
        ({"compaction": {"threshold": 80}}, "compaction.threshold"),
        ({"compaction": {"threshold": float("nan")}}, "compaction.threshold"),
        ({"compaction": {"auto": "yes"}}, "compaction.auto"),
        ("fast", ""),
        ([], ""),
    ],
)
def test_what_is_wrong_is_reported_with_its_path_and_the_default_stays(
    values: JsonValue, path: str
) -> None:
    settings, problems = load([Layer("editor", values)])
    assert settings == Settings()
    assert [(problem.source, problem.path) for problem in problems] == [("editor", path)]


def test_a_wrong_value_leaves_the_rest_of_its_layer_and_the_layer_below() -> None:
    settings, problems = load(
        [
            Layer("file", {"durability": "full"}),
            Layer("editor", {"durability": 1, "resume": "ask"}),
        ]
    )
    assert (settings.durability, settings.resume) == ("full", "ask")
    assert [problem.path for problem in problems] == ["durability"]


@pytest.mark.hazard("bad settings: the server stays up and says so")
@pytest.mark.parametrize(
    ("path", "wrong", "below", "counts"),
    [
        ("trusted", "false", None, False),
        ("trusted", 0, True, False),
        ("maskSecrets", "true", None, True),
        ("maskSecrets", "yes", False, True),
        ("runningCommands", "Kill", "keep", "kill"),
        ("durability", "fulll", "process", "barrier"),
        ("durability", "barier", "full", "full"),
        ("resume", "no", None, "ask"),
        ("resume", "asc", "auto", "ask"),
        ("resume", "asc", "never", "never"),
        *[
            (f"approval.{tool}", "Deny", below, counts)
            for tool in ("bash", "write", "edit", "fetch")
            for below, counts in (("allow", "ask"), ("deny", "deny"), (None, "ask"))
        ],
        ("approval", "deny", {"bash": "allow", "edit": "deny"}, {"bash": "ask", "edit": "deny"}),
        ("tools.sandbox", True, None, "on"),
        ("tools.sandbox", "On", "off", "on"),
        ("tools.network", "false", True, False),
        ("tools.fetch", "false", True, False),
        ("tools", [], {"network": True}, {"sandbox": "on", "network": False, "fetch": False}),
        ("tools.directories", ["relative"], None, []),
        ("tools.directories", "/data", ["/"], ["/"]),
        ("tools.fetchHosts", "localhost", None, []),
        ("telemetry.endpoint", "phoenix", "http://localhost", "http://localhost"),
        ("telemetry.content", "false", None, False),
        ("mcp.servers.x.enabled", "false", None, False),
        ("mcp.servers.x.approval", "denied", "allow", "ask"),
        ("mcp.servers.x", "off", {"command": "c"}, {"enabled": False, "approval": "ask"}),
    ],
)
def test_a_wrong_value_never_counts_as_one_that_allows_more(
    path: str, wrong: JsonValue, below: JsonValue, counts: JsonValue
) -> None:
    layers = [Layer("low", _at(path, below), of_user=True), Layer("high", _at(path, wrong), True)]
    settings, [problem] = load(layers)
    assert (problem.source, problem.path) == ("high", path)
    found: JsonValue = settings.model_dump(by_alias=True)
    for name in path.split("."):
        assert isinstance(found, dict)
        found = found[name]
    if isinstance(counts, dict):
        assert isinstance(found, dict)
        found = {key: found[key] for key in counts}
    assert found == counts


@pytest.mark.parametrize("wrong", [{"servers": []}, {"servers": "off"}, [], None], ids=str)
def test_nor_does_one_in_place_of_all_that_the_user_has_named(wrong: JsonValue) -> None:
    servers: JsonValue = {"x": {"command": "c", "approval": "allow"}, "y": {"approval": "deny"}}
    high: JsonValue = {"mcp": wrong} if wrong is not None else None
    layers = [Layer("low", {"mcp": {"servers": servers}}), Layer("high", high, lost=high is None)]
    settings, _ = load(layers)
    assert {
        name: (server.command, server.enabled, server.approval)
        for name, server in settings.mcp.servers.items()
    } == {"x": ("c", False, "ask"), "y": ("", False, "deny")}


def test_what_counts_instead_of_a_wrong_value_is_told() -> None:
    wrong: JsonValue = {"trusted": "false", "approval": "deny", "model": {"name": 1}}
    _, problems = load([Layer("editor", wrong)])
    assert [problem.message.partition("; ")[2] for problem in problems] == [
        "false counts",
        "the careful values count",
        "it does not count",
    ]


def test_null_means_not_set() -> None:
    settings, problems = load([Layer("editor", {"resume": None, "model": {"name": None}})])
    assert (settings, problems) == (Settings(), [])


def test_a_reported_problem_never_shows_the_value() -> None:
    _, problems = load([Layer("editor", {"model": {"name": ["sk-secret"]}, "apiKey": "sk-x"})])
    assert len(problems) == 2
    assert "sk-" not in " ".join(map(str, problems))


def test_the_configuration_file(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert file_layer(path) == (Layer(str(path), None), [])
    path.write_text('resume = "never"\n[model]\nbaseUrl = "http://x"\n')
    layer, problems = file_layer(path)
    assert problems == []
    assert load([layer])[0].model.base_url == "http://x"


@pytest.mark.parametrize("content", [b"resume = [", b"\xff\xfe"])
def test_a_broken_configuration_file_allows_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    layer, problems = file_layer(path)
    assert "TOML" in str(problems[0])
    settings, _ = load([layer])
    assert (settings.trusted, settings.mask_secrets, settings.tools.sandbox) == (False, True, "on")
    assert settings.approval == Settings().approval
    trusting = Layer("editor", {"trusted": True, "tools": {"sandbox": "off"}})
    settings, problems = load([layer, trusting])
    assert (settings.trusted, settings.mask_secrets, settings.tools.sandbox) == (True, True, "off")
    assert problems == []


def _at(path: str, value: JsonValue) -> JsonValue:
    """Return the object that has ``value`` at a dotted path."""
    for name in reversed(path.split(".")):
        value = {name: value}
    return value
