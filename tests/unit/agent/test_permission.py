"""Who decides about a call: the settings, what was allowed before, the user."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.support.recording_host import RecordingHost
from tests.unit.agent.calls import IDLE, after, intent

from perdure.agent.allowances import Allowances
from perdure.agent.approvals import Approvals
from perdure.agent.permission import REPEATED, SENSITIVE, Permission
from perdure.agent.settings import ApprovalSettings
from perdure.core.state import SessionState, ToolIntent
from perdure.json_types import JsonObject
from perdure.protocol.approvals import Decision
from perdure.tools.registry import builtin_tools


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


def refusal(permission: Permission, call: ToolIntent, state: SessionState = IDLE) -> str | None:
    """Decide about one call."""
    tool = builtin_tools().get(call.tool_name)
    assert tool is not None
    return asyncio.run(permission.refusal(tool, call, state))


@pytest.mark.parametrize("decision", ["allow", "allowForSession", "deny"])
def test_a_third_time_is_asked_about_although_it_is_allowed(
    tmp_path: Path, decision: Decision
) -> None:
    host = RecordingHost(approve=decision)
    decides = permission(tmp_path, host, {"bash": "allow"})
    assert refusal(decides, intent("make"), after("make")) is None
    assert host.approvals == []
    refused = refusal(decides, intent("make"), after("make", "make"))
    assert (refused is not None) == (decision == "deny")
    [asked] = host.approvals
    assert asked["reason"] == REPEATED
    assert asked["preview"] == {"command": "make", "directory": str(tmp_path)}


def test_what_the_settings_refuse_is_never_asked_about(tmp_path: Path) -> None:
    host = RecordingHost(approve="allow")
    decides = permission(tmp_path, host, {"bash": "deny"})
    assert refusal(decides, intent("make"), after("make", "make")) is not None
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


def test_a_list_that_cannot_be_written_allows_for_the_session(tmp_path: Path) -> None:
    host = RecordingHost(approve="allowForWorkspace")
    decides = permission(tmp_path / "absent", host, {})
    assert refusal(decides, intent("make")) is None
    assert refusal(decides, intent("make")) is None
    assert len(host.approvals) == 1
    [told] = host.told
    assert told.startswith("warning: Allowed for this session only")


@pytest.mark.hazard("`.env` values")
@pytest.mark.parametrize(
    "name",
    [
        *(".env", ".env.local", "id_rsa", "Server.PEM", "link.txt"),
        *(".env~", "id_rsa.old", "server.key.bak", ".id_rsa.swp"),
    ],
)
def test_a_file_that_may_hold_credentials_is_asked_about(tmp_path: Path, name: str) -> None:
    (tmp_path / ".env").write_text("KEY=1")
    (tmp_path / "link.txt").symlink_to(".env")
    host = RecordingHost(approve="allowForWorkspace")
    decides = permission(tmp_path, host, {})
    call = intent("", tool="read")._replace(arguments={"path": name})
    assert refusal(decides, call) is None
    assert refusal(decides, call) is None
    [asked] = host.approvals
    known = ".env" if name == "link.txt" else name
    assert asked["reason"] == SENSITIVE.format(file=known)
    assert json.loads((tmp_path / "allowances.json").read_text()) == [f"read:{known}"]


@pytest.mark.parametrize("name", ["env", "README.md", "environment.py", "a.pem.txt"])
def test_any_other_file_is_read_without_a_question(tmp_path: Path, name: str) -> None:
    host = RecordingHost(approve="deny")
    call = intent("", tool="read")._replace(arguments={"path": name})
    assert refusal(permission(tmp_path, host, {}), call) is None
    assert host.approvals == []


def test_that_writing_is_allowed_does_not_cover_credentials(tmp_path: Path) -> None:
    host = RecordingHost(approve="deny")
    decides = permission(tmp_path, host, {"write": "allow"})
    call = intent("", tool="write")._replace(arguments={"path": ".env", "content": ""})
    assert refusal(decides, call) is not None
    assert len(host.approvals) == 1
