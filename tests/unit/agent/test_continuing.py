"""Going on after a run that failed, by the commands of an agent."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.agent_home import SETTINGS, agent_at, talk
from tests.support.recording_host import RecordingHost

from perdure.agent.continuing import NOTHING_TO_COMPACT
from perdure.agent.settings import Settings
from perdure.errors import CommandError

pytestmark = pytest.mark.asyncio

FAILING = "error: server It broke."


async def test_a_short_session_has_nothing_to_compact(tmp_path: Path) -> None:
    host = RecordingHost()
    async with agent_at(tmp_path, host) as agent:
        status = await talk(agent, FAILING)
        assert status["failed"]["actions"][0]["title"] == "Continue"
        result = await agent.continuing.compact_first({})
        assert result == {"outcome": "nothing_to_compact"}
        assert f"warning: {NOTHING_TO_COMPACT}" in host.told
        assert agent.status()["failed"] == status["failed"]


async def test_a_session_of_another_environment_is_not_continued(tmp_path: Path) -> None:
    async with agent_at(tmp_path) as agent:
        assert "failed" in await talk(agent, FAILING)
    async with agent_at(tmp_path, environ={"PERDURE_ENVIRONMENT_IDENTITY": "elsewhere"}) as agent:
        assert agent.status()["state"] == "idle"
        assert "failed" not in agent.status()
        with pytest.raises(CommandError, match="no failed run"):
            await agent.continuing.start({})


async def test_a_compaction_that_fails_is_followed_by_nothing(tmp_path: Path) -> None:
    async with agent_at(tmp_path) as agent:
        for _ in range(4):
            await talk(agent, "text: fine")
        await talk(agent, FAILING)
        failed = agent.status()["failed"]
        broken = {"provider": "openai", "baseUrl": "http://127.0.0.1:9/v1", "name": "m"}
        agent.configure(Settings.model_validate({**SETTINGS, "model": broken}))
        assert (await agent.continuing.compact_first({}))["outcome"] == "started"
        await agent.wait({"timeoutSeconds": 20})
        assert (await agent.resume({}))["outcome"] == "idle"
        assert agent.status()["failed"] == failed
