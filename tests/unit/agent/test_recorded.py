"""Going on as it was recorded, although the configuration is another one now."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.support.agent_home import agent_at, leave_unfinished, session_file, talk

from perdure.errors import CommandError
from perdure.json_types import JsonObject
from perdure.store.places import data_path

pytestmark = pytest.mark.asyncio

OTHER_MODEL: JsonObject = {"provider": "demo", "name": "another"}
FIRST = ("text: one", 'call: bash {"command": "true"}', "---")


@pytest.mark.requirement(49)
async def test_model_and_prompt_are_restored_for_this_operation_alone(tmp_path: Path) -> None:
    await leave_unfinished(tmp_path, *FIRST)
    (tmp_path / "work" / "AGENTS.md").write_text("Whistle.")
    async with agent_at(tmp_path, model=OTHER_MODEL) as agent:
        blocked = agent.status()["blocked"]
        assert blocked is not None
        assert "perdure.resumeRecorded" in [action["command"] for action in blocked["actions"]]
        assert (await agent.remedies.resume_recorded({}))["outcome"] == "resumed"
        assert agent.status()["model"]["name"] == "demo"
        await agent.abort({})
        status = await talk(agent, "text: two")
        assert status["state"] == "idle"
    *recorded, last = [
        line for line in session_file(tmp_path).read_text().splitlines() if "stepAttempt" in line
    ]
    assert all('"model":"demo"' in line for line in recorded)
    assert '"model":"another"' in last


async def test_what_is_no_longer_available_is_named(tmp_path: Path) -> None:
    await leave_unfinished(tmp_path)
    (tmp_path / "work" / "AGENTS.md").write_text("Whistle.")
    shutil.rmtree(data_path(session_file(tmp_path)) / "prompts")
    log = session_file(tmp_path).read_bytes()
    async with agent_at(tmp_path, model=OTHER_MODEL) as agent:
        with pytest.raises(CommandError, match=r"no longer available: system prompt") as refused:
            await agent.remedies.resume_recorded({})
        assert refused.value.code == "not_found"
        assert "model" not in str(refused.value).split("available: ")[1].split(".")[0]
        assert agent.status()["state"] == "blocked"
    assert session_file(tmp_path).read_bytes() == log


async def test_another_environment_stays_blocked(tmp_path: Path) -> None:
    await leave_unfinished(tmp_path)
    elsewhere = {"PERDURE_ENVIRONMENT_IDENTITY": "elsewhere"}
    async with agent_at(tmp_path, environ=elsewhere, model=OTHER_MODEL) as agent:
        result = await agent.remedies.resume_recorded({})
        assert result["outcome"] == "blocked"
        assert result["plan"] == {"type": "blocked", "reason": "environment_changed"}


async def test_nothing_to_resume(tmp_path: Path) -> None:
    async with agent_at(tmp_path) as agent:
        assert (await agent.remedies.resume_recorded({}))["outcome"] == "idle"
