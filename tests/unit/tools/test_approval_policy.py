"""Who may run without being asked."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from perdure.json_types import JsonObject
from perdure.tools.approval import (
    Policy,
    allowance_key,
    decide,
    load_allowances,
    remember_allowance,
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
    ],
)
def test_an_allowance_covers_a_tool_or_an_exact_command(
    allowed: tuple[str, JsonObject], call: tuple[str, JsonObject], decision: Policy
) -> None:
    allowances = {allowance_key(*allowed)}
    assert decide(*call, policy=ASK, allowances=allowances) == decision


def test_an_allowance_never_overrides_a_refusal() -> None:
    assert decide("write", {}, policy={"write": "deny"}, allowances={"write"}) == "deny"


def test_allowances_of_a_workspace_are_remembered_in_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "allowances.json"
    assert load_allowances(path) == frozenset()
    remember_allowance(path, "write")
    remember_allowance(path, "bash:make")
    remember_allowance(path, "write")
    assert load_allowances(path) == {"write", "bash:make"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", ["", "{", '"write"', "[1, null]", "\ufeff[]"])
def test_a_damaged_file_allows_nothing(tmp_path: Path, content: str) -> None:
    path = tmp_path / "allowances.json"
    path.write_text(content)
    assert load_allowances(path) == frozenset()
