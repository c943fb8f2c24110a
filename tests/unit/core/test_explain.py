"""Why a plan is blocked, field by field."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.fixtures.stages import (
    BASH,
    READ,
    attempting,
    calling,
    finished_run,
    tool_started,
)
from tests.support.log import Log
from tests.support.resume import matching, state_of, step_of
from tests.support.wire import ZERO_DIGEST

from perdure.core.explain import ABSENT, Difference, differences, explain
from perdure.core.plans import Blocked, CurrentConfiguration, CurrentTool
from perdure.core.records import ConfigurationSnapshot
from perdure.core.recovery import plan_recovery

OTHER = "sha256:" + "f" * 64
MORE = {"configuration_changed": ("resumeRecorded", "showChanged")}


def snapshot(*names: str) -> ConfigurationSnapshot:
    """Return a snapshot as the logs record it."""
    return {
        "model": "test/model",
        "systemPromptDigest": ZERO_DIGEST,
        "tools": [{"name": name, "definitionDigest": ZERO_DIGEST} for name in names],
        "adapterIdentity": "demo:scripted:v1",
        "routingIdentity": "demo:scripted",
        "outputOptionsDigest": ZERO_DIGEST,
    }


RECORDED = snapshot("read", "bash")


@pytest.mark.parametrize(
    ("current", "expected"),
    [
        (RECORDED, []),
        ({**RECORDED, "model": "b"}, [Difference("model", "test/model", "b")]),
        (
            {**RECORDED, "systemPromptDigest": OTHER},
            [Difference("system prompt", ZERO_DIGEST, OTHER)],
        ),
        ({**RECORDED, "adapterIdentity": "x"}, [Difference("adapter", "demo:scripted:v1", "x")]),
        ({**RECORDED, "routingIdentity": "x"}, [Difference("routing", "demo:scripted", "x")]),
        (
            {**RECORDED, "outputOptionsDigest": OTHER},
            [Difference("output options", ZERO_DIGEST, OTHER)],
        ),
        (snapshot("read", "bash", "web"), [Difference("tool web", ABSENT, ZERO_DIGEST)]),
        (snapshot("read"), [Difference("tool bash", ZERO_DIGEST, ABSENT)]),
        (
            {
                **RECORDED,
                "tools": [RECORDED["tools"][0], {"name": "bash", "definitionDigest": OTHER}],
            },
            [Difference("tool bash", ZERO_DIGEST, OTHER)],
        ),
        (snapshot("bash", "read"), [Difference("order of tools", "read, bash", "bash, read")]),
        (
            {**snapshot("bash"), "model": "b"},
            [Difference("model", "test/model", "b"), Difference("tool read", ZERO_DIGEST, ABSENT)],
        ),
    ],
)
def test_differences(current: ConfigurationSnapshot, expected: list[Difference]) -> None:
    assert list(differences(RECORDED, current)) == expected


def _changed(log: Log, **changes: str) -> CurrentConfiguration:
    return replace(matching(state_of(log.to_bytes())), **changes)  # type: ignore[arg-type]


def _with_read(log: Log, **changes: str) -> CurrentConfiguration:
    current = matching(state_of(log.to_bytes()))
    read: CurrentTool = replace(current.tools[0], **changes)  # type: ignore[arg-type]
    return replace(current, tools=(read, *current.tools[1:]))


@pytest.mark.hazard("configuration_changed naming both")
@pytest.mark.requirement(30, 49, 69)
@pytest.mark.parametrize(
    ("log", "current", "reason", "detail"),
    [
        pytest.param(
            attempting(),
            _changed(attempting(), configuration_digest=OTHER),
            "configuration_changed",
            Difference("model", "test/model", "other"),
            id="model",
        ),
        pytest.param(
            tool_started(READ),
            _with_read(tool_started(READ), definition_digest=OTHER),
            "configuration_changed",
            Difference("tool read", ZERO_DIGEST, OTHER),
            id="definition of a pending tool",
        ),
        pytest.param(
            tool_started(READ),
            replace(matching(state_of(tool_started(READ).to_bytes())), tools=()),
            "configuration_changed",
            Difference("tool read", ZERO_DIGEST, ABSENT),
            id="pending tool is gone",
        ),
        pytest.param(
            attempting(),
            _changed(attempting(), environment_identity="/moved"),
            "environment_changed",
            Difference("environment", "fixture", "/moved"),
            id="environment",
        ),
        pytest.param(
            calling(BASH).started(0, environment="/old"),
            _changed(calling(BASH)),
            "environment_changed",
            Difference("environment", "/old", "fixture"),
            id="environment of a pending tool",
        ),
        pytest.param(
            calling(BASH).started(0, environment="/old"),
            _changed(calling(BASH), environment_identity="/moved"),
            "environment_changed",
            Difference("environment", "fixture", "/moved"),
            id="environment of the session before that of a tool",
        ),
        pytest.param(
            tool_started(READ),
            _with_read(tool_started(READ), replay="never"),
            "replay_declaration_changed",
            Difference("replay policy of read", "safe", "never"),
            id="replay policy",
        ),
        pytest.param(
            tool_started(READ),
            _with_read(tool_started(READ), replay_key="builtin:read:v2"),
            "replay_declaration_changed",
            Difference("replay key of read", "builtin:read:v1", "builtin:read:v2"),
            id="replay key",
        ),
    ],
)
def test_explanation(
    log: Log, current: CurrentConfiguration, reason: str, detail: Difference
) -> None:
    state = state_of(log.to_bytes())
    plan = plan_recovery(state, current)
    assert isinstance(plan, Blocked)
    assert plan.reason == reason
    step = step_of(state)
    assert step is not None
    equal = current.configuration_digest == step.configuration_digest
    now: ConfigurationSnapshot = RECORDED if equal else {**RECORDED, "model": "other"}
    explanation = explain(plan, state, current, now)
    assert explanation.details == (detail,)
    moved = state.header.environment_identity != current.environment_identity
    more = ("relocate",) if moved else MORE.get(reason, ())
    assert explanation.actions == ("restoreThenResume", *more, "abort")
    assert explanation.title.endswith(".")


@pytest.mark.hazard("A second interruption of the same request shows attempts_exhausted with Abort")
@pytest.mark.requirement(58)
def test_exhausted_attempts_can_only_be_aborted() -> None:
    state = state_of(attempting().retry().to_bytes())
    explanation = explain(Blocked("attempts_exhausted"), state, matching(state), RECORDED)
    assert explanation.actions == ("abort",)
    assert explanation.details == (
        Difference("model requests", "2 sent, no answer stored", "2 allowed"),
    )


@pytest.mark.parametrize(
    ("log", "plan"),
    [
        pytest.param(finished_run(), Blocked("configuration_changed"), id="no step"),
        pytest.param(attempting(), Blocked("configuration_changed"), id="no pending tool"),
        pytest.param(attempting(), Blocked("replay_declaration_changed"), id="no tool to replay"),
        pytest.param(finished_run(), Blocked("attempts_exhausted"), id="no attempt"),
    ],
)
def test_where_nothing_differs_there_are_no_details(log: Log, plan: Blocked) -> None:
    """The plan was of an earlier state: what blocked it has gone meanwhile."""
    current = matching(state_of(attempting().to_bytes()))
    explanation = explain(plan, state_of(log.to_bytes()), current, RECORDED)
    assert explanation.details == ()
    assert explanation.actions[-1] == "abort"
