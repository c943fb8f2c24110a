"""JSON forms of the planner's output and input (session-format sections 14.1 and 14.2)."""

from __future__ import annotations

import re
from typing import assert_never

from perdure.core.plans import (
    AppendSynthetic,
    Blocked,
    CloseAttempt,
    CurrentConfiguration,
    CurrentTool,
    Finish,
    RecoveryPlan,
    StartStep,
    StartTool,
    SyntheticResult,
)
from perdure.core.records import Replay, WireError
from perdure.errors import CommandError
from perdure.json_types import JsonObject, JsonValue

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def plan_to_json(plan: RecoveryPlan) -> JsonObject:
    """Return the exact object of section 14.2; optional keys without a value are left out."""
    match plan:
        case Finish():
            return _without_none(
                type="finish",
                outcome=plan.outcome,
                completion=plan.completion,
                finalEntryId=plan.final_entry_id,
                error=None if plan.error is None else _error(plan.error),
            )
        case StartStep():
            return _without_none(
                type="startStep",
                stepKind=plan.step_kind,
                attempt=plan.attempt,
                stepId=plan.step_id,
                contextThroughEntryId=plan.context_through_entry_id,
            )
        case StartTool():
            return _start_tool(plan)
        case AppendSynthetic():
            return {"type": "appendSynthetic", "results": [_result(r) for r in plan.results]}
        case CloseAttempt():
            return {"type": "closeAttempt", "error": _error(plan.error)}
        case Blocked():
            return {"type": "blocked", "reason": plan.reason}
        case _:
            assert_never(plan)


def current_from_json(value: JsonValue) -> CurrentConfiguration:
    """Read the closed object of section 14.1.

    Raises ``CommandError`` (``invalid_params``) that names the path and what was expected there.
    """
    keys = ("configurationDigest", "environmentIdentity", "tools")
    fields = _closed(value, "configuration", keys)
    tools = fields["tools"]
    if not isinstance(tools, list):
        raise _refusal("configuration.tools", "an array")
    return CurrentConfiguration(
        configuration_digest=_digest(fields, "configuration", "configurationDigest"),
        environment_identity=_text(fields, "configuration", "environmentIdentity"),
        tools=tuple(_tool(tool, f"configuration.tools[{i}]") for i, tool in enumerate(tools)),
    )


def _error(error: WireError) -> JsonObject:
    return {"code": error["code"], "message": error["message"]}


def _start_tool(plan: StartTool) -> JsonObject:
    return _without_none(
        type="startTool",
        mode=plan.mode,
        assistantEntryId=plan.assistant_entry_id,
        toolIndex=plan.tool_index,
        toolStartedId=plan.tool_started_id,
        toolName=plan.tool_name,
        arguments=plan.arguments,
    )


def _result(result: SyntheticResult) -> JsonObject:
    return _without_none(
        assistantEntryId=result.assistant_entry_id,
        toolIndex=result.tool_index,
        toolCallId=result.tool_call_id,
        toolName=result.tool_name,
        reason=result.reason,
        content=result.content,
        toolStartedId=result.tool_started_id,
        resultEntryId=result.result_entry_id,
    )


def _without_none(**members: JsonValue) -> JsonObject:
    return {key: value for key, value in members.items() if value is not None}


def _tool(value: JsonValue, path: str) -> CurrentTool:
    fields = _closed(value, path, ("name", "definitionDigest", "replay", "replayKey"))
    return CurrentTool(
        name=_text(fields, path, "name"),
        definition_digest=_digest(fields, path, "definitionDigest"),
        replay=_replay(fields["replay"], f"{path}.replay"),
        replay_key=_text(fields, path, "replayKey"),
    )


def _closed(value: JsonValue, path: str, keys: tuple[str, ...]) -> JsonObject:
    if not isinstance(value, dict):
        raise _refusal(path, "an object")
    for key in value:
        if key not in keys:
            raise _refusal(f"{path}.{key}", f"no such key; allowed are {', '.join(keys)}")
    for key in keys:
        if key not in value:
            raise _refusal(f"{path}.{key}", "a value; the key is missing")
    return value


def _text(fields: JsonObject, path: str, key: str) -> str:
    text = fields[key]
    if not isinstance(text, str) or not text:
        raise _refusal(f"{path}.{key}", "a non-empty string")
    return text


def _digest(fields: JsonObject, path: str, key: str) -> str:
    text = fields[key]
    if not isinstance(text, str) or _DIGEST.fullmatch(text) is None:
        raise _refusal(f"{path}.{key}", 'a digest, "sha256:" and 64 lower-case hex digits')
    return text


def _replay(value: JsonValue, path: str) -> Replay:
    match value:
        case "safe" | "never":
            return value
        case _:
            raise _refusal(path, '"safe" or "never"')


def _refusal(path: str, expected: str) -> CommandError:
    return CommandError(f"{path}: expected {expected}")
