"""Approvals as permission requests of the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from acp import helpers
from acp.schema import (
    AllowedOutcome,
    PermissionOption,
    RequestPermissionResponse,
    ToolCallUpdate,
)

from perdure.acp.edits import diff_content
from perdure.protocol.approvals import ApproveParams, ApproveResult, Decision
from perdure.protocol.uris import file_path

OPTIONS = (
    PermissionOption(option_id="allow", name="Allow", kind="allow_once"),
    PermissionOption(
        option_id="allowForSession", name="Allow for this session", kind="allow_always"
    ),
    PermissionOption(
        option_id="allowForWorkspace", name="Always allow in this workspace", kind="allow_always"
    ),
    PermissionOption(option_id="deny", name="Deny", kind="reject_once"),
)
_DECISIONS: Mapping[str, Decision] = {
    "allow": "allow",
    "allowForSession": "allowForSession",
    "allowForWorkspace": "allowForWorkspace",
    "deny": "deny",
}


def question(params: ApproveParams) -> ToolCallUpdate:
    """Return what the user decides about: the call, with its command or what it would change."""
    update = ToolCallUpdate(
        tool_call_id=params["approvalId"],
        title=params["title"],
        status="pending",
        raw_input=params["arguments"],
    )
    match params.get("preview"):
        case {"command": str(command)}:
            update.content = [helpers.tool_content(helpers.text_block(command))]
        case {"uri": str(uri), "before": str(before), "after": str(after)}:
            update.content = [diff_content(Path(file_path(uri) or uri), before, after)]
        case _:
            pass
    if "reason" in params:
        reason = helpers.tool_content(helpers.text_block(params["reason"]))
        update.content = [*(update.content or ()), reason]
    return update


def decision(answer: RequestPermissionResponse) -> ApproveResult | None:
    """Return the decision, None for none: the client has cancelled its turn."""
    match answer.outcome:
        case AllowedOutcome(option_id=option) if option in _DECISIONS:
            return {"decision": _DECISIONS[option]}
        case _:
            return None
