"""JSON of plans and of the current configuration."""

from __future__ import annotations

import pytest
from tests.support.fixtures.planning import OTHER_DIGEST, declared, now
from tests.support.raw_log import DROP
from tests.support.wire import ZERO_DIGEST

from perdure.core.plan_shape import current_from_json, plan_to_json
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
from perdure.errors import CommandError
from perdure.json_types import JsonObject, JsonValue

UNSTARTED = SyntheticResult("e", 0, "c", "read", "aborted", "text")
STARTED = SyntheticResult("e", 1, "d", "bash", "interrupted", "text", "t", "r")


@pytest.mark.requirement(10)
@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (Finish("aborted"), {"type": "finish", "outcome": "aborted"}),
        (
            Finish("completed", "normal", "e"),
            {"type": "finish", "outcome": "completed", "completion": "normal", "finalEntryId": "e"},
        ),
        (
            Finish("failed", error={"code": "x", "message": "y"}),
            {"type": "finish", "outcome": "failed", "error": {"code": "x", "message": "y"}},
        ),
        (
            StartStep("assistant", 1, "e"),
            {
                "type": "startStep",
                "stepKind": "assistant",
                "attempt": 1,
                "contextThroughEntryId": "e",
            },
        ),
        (
            StartStep("compaction", 2, "e", step_id="s"),
            {
                "type": "startStep",
                "stepKind": "compaction",
                "attempt": 2,
                "stepId": "s",
                "contextThroughEntryId": "e",
            },
        ),
        (
            StartTool("replay", "e", 0, "read", {}, tool_started_id="t"),
            {
                "type": "startTool",
                "mode": "replay",
                "assistantEntryId": "e",
                "toolIndex": 0,
                "toolStartedId": "t",
                "toolName": "read",
                "arguments": {},
            },
        ),
        (
            CloseAttempt({"code": "a", "message": "b"}),
            {"type": "closeAttempt", "error": {"code": "a", "message": "b"}},
        ),
        (Blocked("attempts_exhausted"), {"type": "blocked", "reason": "attempts_exhausted"}),
    ],
)
def test_plan_to_json(plan: RecoveryPlan, expected: JsonObject) -> None:
    assert plan_to_json(plan) == expected


def test_only_interrupted_results_name_their_intent() -> None:
    plan = plan_to_json(AppendSynthetic((UNSTARTED, STARTED)))
    assert isinstance(plan["results"], list)
    first, second = plan["results"]
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert second.keys() - first.keys() == {"toolStartedId", "resultEntryId"}
    assert first["reason"] == "aborted"


def test_current_from_json() -> None:
    assert current_from_json(now(declared("read"), digest=OTHER_DIGEST)) == CurrentConfiguration(
        OTHER_DIGEST, "fixture", (CurrentTool("read", ZERO_DIGEST, "safe", "builtin:read:v1"),)
    )


@pytest.mark.parametrize(
    ("tool", "key", "value", "path"),
    [
        (False, "configurationDigest", DROP, "configuration.configurationDigest"),
        (False, "configurationDigest", "sha256:" + "A" * 64, "configuration.configurationDigest"),
        (False, "configurationDigest", ZERO_DIGEST + "0", "configuration.configurationDigest"),
        (False, "configurationDigest", ZERO_DIGEST + "\n", "configuration.configurationDigest"),
        (False, "environmentIdentity", "", "configuration.environmentIdentity"),
        (False, "environmentIdentity", None, "configuration.environmentIdentity"),
        (False, "tools", {}, "configuration.tools"),
        (False, "tools", ["read"], "configuration.tools[0]"),
        (False, "model", "x", "configuration.model"),
        (True, "name", "", "configuration.tools[1].name"),
        (True, "definitionDigest", 1, "configuration.tools[1].definitionDigest"),
        (True, "replay", "always", "configuration.tools[1].replay"),
        (True, "replay", DROP, "configuration.tools[1].replay"),
        (True, "replayKey", "", "configuration.tools[1].replayKey"),
        (True, "description", "x", "configuration.tools[1].description"),
    ],
)
def test_a_wrong_configuration_is_refused_with_its_path(
    tool: bool, key: str, value: JsonValue | object, path: str
) -> None:
    given = now()
    assert isinstance(given["tools"], list)
    target = given["tools"][1] if tool else given
    assert isinstance(target, dict)
    target.pop(key, None)
    if value is not DROP:
        target[key] = value  # type: ignore[assignment]
    with pytest.raises(CommandError) as refusal:
        current_from_json(given)
    assert str(refusal.value).startswith(f"{path}: ")
    assert refusal.value.code == "invalid_params"


@pytest.mark.parametrize("value", [None, [], "x", 1])
def test_a_configuration_is_an_object(value: JsonValue) -> None:
    with pytest.raises(CommandError, match=r"^configuration: expected an object"):
        current_from_json(value)
