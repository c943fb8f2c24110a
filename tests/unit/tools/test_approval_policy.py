"""Who may run without being asked."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from perdure.json_types import JsonObject
from perdure.tools.approval import (
    Policy,
    allowances_for,
    decide,
    load_allowances,
    remember_allowances,
)

ASK: dict[str, Policy] = {"bash": "ask", "write": "ask", "edit": "ask"}


@pytest.mark.parametrize(
    ("tool", "policy", "decision"),
    [
        ("read", ASK, "allow"),
        ("read", {"read": "ask"}, "ask"),
        ("bash", ASK, "ask"),
        ("bash", {"bash": "allow"}, "allow"),
        ("write", {"write": "deny"}, "deny"),
        ("edit", {}, "ask"),
        ("unknown", ASK, "ask"),
        ("grep", ASK, "allow"),
        ("glob", {"glob": "deny"}, "deny"),
        ("list", {}, "allow"),
        ("diagnostics", {}, "allow"),
        ("fetch", {}, "ask"),
    ],
)
def test_settings_decide(tool: str, policy: dict[str, Policy], decision: Policy) -> None:
    assert decide(tool, {}, policy=policy) == decision


@pytest.mark.parametrize(
    ("allowed", "call", "decision"),
    [
        (("write", {"path": "a"}), ("write", {"path": "b"}), "allow"),
        (("write", {"path": "a"}), ("edit", {"path": "a"}), "ask"),
        (("bash", {"command": "make"}), ("bash", {"command": "make", "timeout": 5}), "allow"),
        (("bash", {"command": "make"}), ("bash", {"command": "make clean"}), "ask"),
        (("bash", {"command": "make"}), ("bash", {}), "ask"),
        (("bash", {"command": "make"}), ("bash", {"command": " make; make "}), "allow"),
        (("bash", {"command": "a && b; c | d"}), ("bash", {"command": "d; a"}), "allow"),
        (("bash", {"command": "a && b; c | d"}), ("bash", {"command": "a && e"}), "ask"),
        (("bash", {"command": "a && b; c | d"}), ("bash", {"command": "a $(b)"}), "ask"),
        (("bash", {"command": "cd x && rm y"}), ("bash", {"command": "rm y"}), "ask"),
        (("bash", {"command": "cd x && rm y"}), ("bash", {"command": "cd x && rm y"}), "allow"),
    ],
)
def test_an_allowance_covers_a_tool_or_an_exact_command(
    allowed: tuple[str, JsonObject], call: tuple[str, JsonObject], decision: Policy
) -> None:
    allowances = allowances_for(*allowed)
    assert decide(*call, policy=ASK, allowances=allowances) == decision


@pytest.mark.parametrize(
    ("policy", "allowed", "decision"),
    [
        ({}, (), "ask"),
        ({"read": "allow"}, (), "ask"),
        ({"read": "deny"}, ("read:.env",), "deny"),
        ({}, ("read",), "ask"),
        ({}, ("write:.env",), "ask"),
        ({}, ("read:.env",), "allow"),
    ],
)
def test_a_file_that_may_hold_credentials_is_allowed_by_its_name(
    policy: dict[str, Policy], allowed: tuple[str, ...], decision: Policy
) -> None:
    arguments: JsonObject = {"path": ".env"}
    assert (
        decide("read", arguments, policy=policy, allowances=allowed, sensitive=".env") == decision
    )
    assert allowances_for("read", arguments, sensitive=".env") == {"read:.env"}


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://Example.org/a?b#c", "fetch:https://example.org"),
        ("https://example.org:443/", "fetch:https://example.org"),
        ("http://example.org:8080/", "fetch:http://example.org:8080"),
        ("http://[::1]/", "fetch:http://[::1]"),
        ("nonsense", "fetch:nonsense"),
    ],
)
def test_a_page_is_allowed_by_its_host(url: str, key: str) -> None:
    assert allowances_for("fetch", {"url": url}) == {key}


def test_an_allowance_never_overrides_a_refusal() -> None:
    assert decide("write", {}, policy={"write": "deny"}, allowances={"write"}) == "deny"


def test_allowances_of_a_workspace_are_remembered_in_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "allowances.json"
    assert load_allowances(path) == frozenset()
    remember_allowances(path, {"write"})
    remember_allowances(path, {"bash:make"})
    remember_allowances(path, {"write"})
    assert load_allowances(path) == {"write", "bash:make"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", ["", "{", '"write"', "[1, null]", "\ufeff[]", "[" * 100_000])
def test_a_damaged_file_allows_nothing(tmp_path: Path, content: str) -> None:
    path = tmp_path / "allowances.json"
    path.write_text(content)
    assert load_allowances(path) == frozenset()


def test_what_the_user_wrote_by_hand_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "allowances.json"
    path.write_text('["bash:make",')
    remember_allowances(path, {"write"})
    assert load_allowances(path) == {"write"}
    assert (tmp_path / "allowances.damaged.json").read_text() == '["bash:make",'


@pytest.mark.parametrize("kind", ["folder", "fifo", "link", "loop"])
def test_what_is_no_file_allows_nothing_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "allowances.json"
    (tmp_path / "other.json").write_text('["write"]')
    match kind:
        case "folder":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case "link":
            path.symlink_to("other.json")
        case _:
            path.symlink_to(path)
    assert load_allowances(path) == frozenset()
