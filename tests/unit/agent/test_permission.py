"""Who decides about a call: the settings, what was allowed before, the user."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.support.recording_host import RecordingHost

from perdure.agent.allowances import Allowances
from perdure.agent.approvals import Approvals
from perdure.agent.permission import REPEATED, Permission, repeats
from perdure.agent.settings import ApprovalSettings
from perdure.core.state import ToolIntent
from perdure.json_types import JsonObject
from perdure.protocol.types import Decision
from perdure.tools.registry import builtin_tools


def intent(command: str, *, tool: str = "bash") -> ToolIntent:
    """A call of bash, or of another tool with the same arguments."""
    return ToolIntent(
        operation_id="operation",
        tool_started_id="started",
        step_id="step",
        assistant_entry_id="answer",
        tool_index=0,
        tool_call_id="call_1",
        tool_name=tool,
        arguments={"command": command},
        replay="never",
        replay_key="builtin:bash:v1",
        environment_identity="/work",
        result_entry_id="result",
    )


def permission(folder: Path, host: RecordingHost, settings: JsonObject) -> Permission:
    """What decides, with its allowances in ``folder``."""
    return Permission(
        session_id="session",
        root=folder,
        settings=ApprovalSettings.model_validate(settings),
        allowances=Allowances(folder / "allowances.json"),
        approvals=Approvals(host, lambda: None),
        host=host,
    )


def refusal(
    permission: Permission, call: ToolIntent, earlier: Sequence[ToolIntent] = ()
) -> str | None:
    """Decide about one call."""
    tool = builtin_tools().get(call.tool_name)
    assert tool is not None
    return asyncio.run(permission.refusal(tool, call, earlier))


@pytest.mark.parametrize(
    ("earlier", "expected"),
    [
        ([], False),
        (["a"], False),
        (["a", "a"], True),
        (["b", "a", "a"], True),
        (["a", "a", "b"], False),
        (["a", "b", "a"], False),
        (["a", "a", "a"], True),
    ],
)
def test_three_times_in_a_row(earlier: list[str], expected: bool) -> None:
    assert repeats(intent("a"), [intent(command) for command in earlier]) is expected


def test_the_same_arguments_for_another_tool_are_another_call() -> None:
    assert not repeats(intent("a"), [intent("a", tool="other"), intent("a")])


@pytest.mark.parametrize("decision", ["allow", "allowForSession", "deny"])
def test_a_third_time_is_asked_about_although_it_is_allowed(
    tmp_path: Path, decision: Decision
) -> None:
    host = RecordingHost(approve=decision)
    decides = permission(tmp_path, host, {"bash": "allow"})
    assert refusal(decides, intent("make"), [intent("make")]) is None
    assert host.approvals == []
    refused = refusal(decides, intent("make"), [intent("make")] * 2)
    assert (refused is not None) == (decision == "deny")
    [asked] = host.approvals
    assert asked["reason"] == REPEATED
    assert asked["preview"] == {"command": "make", "directory": str(tmp_path)}


def test_what_the_settings_refuse_is_never_asked_about(tmp_path: Path) -> None:
    host = RecordingHost(approve="allow")
    decides = permission(tmp_path, host, {"bash": "deny"})
    assert refusal(decides, intent("make"), [intent("make")] * 2) is not None
    assert host.approvals == []


def test_a_chain_is_judged_by_its_parts(tmp_path: Path) -> None:
    host = RecordingHost(approve="allowForWorkspace")
    decides = permission(tmp_path, host, {})
    for command in ("make && ls -l", "ls -l; make", "make", "make | ls -l", "make; rm x"):
        assert refusal(decides, intent(command)) is None
    commands = [asked["arguments"]["command"] for asked in host.approvals]
    assert commands == ["make && ls -l", "make; rm x"]
    file = tmp_path / "allowances.json"
    assert json.loads(file.read_text()) == ["bash:ls -l", "bash:make", "bash:rm x"]
    assert all(str(file) in message for message in host.told)


def test_what_the_user_takes_from_the_list_is_asked_about_again(tmp_path: Path) -> None:
    host = RecordingHost(approve="allowForWorkspace")
    decides = permission(tmp_path, host, {})
    refusal(decides, intent("make"))
    (tmp_path / "allowances.json").write_text("[]")
    refusal(decides, intent("make"))
    assert len(host.approvals) == 2


def test_a_list_that_can_not_be_written_allows_for_the_session(tmp_path: Path) -> None:
    host = RecordingHost(approve="allowForWorkspace")
    decides = permission(tmp_path / "absent", host, {})
    assert refusal(decides, intent("make")) is None
    assert refusal(decides, intent("make")) is None
    assert len(host.approvals) == 1
    [told] = host.told
    assert told.startswith("warning: Allowed for this session only")
