"""``wait`` answers when nothing runs and nothing is about to start by itself."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.support.agent_home import agent_at, talk
from tests.support.recording_host import RecordingHost

from perdure.agent.workspace import WorkspaceAgent
from perdure.protocol.status import Status

pytestmark = pytest.mark.asyncio

SLOW = "sleep: 50\ntext: slow"


class AsksWhenIdle(RecordingHost):
    """Waits, as an editor may, from the very moment on at which the folder is shown as idle."""

    def __init__(self) -> None:
        super().__init__()
        self.agent: WorkspaceAgent | None = None
        self.answers: list[asyncio.Task[Status]] = []

    def status_changed(self, status: Status) -> None:
        """Ask when nothing seems to run."""
        super().status_changed(status)
        if self.agent is not None and status["state"] == "idle":
            self.answers.append(asyncio.create_task(self.agent.wait({"timeoutSeconds": 20})))


async def test_prompts_that_wait_are_waited_for(tmp_path: Path) -> None:
    host = AsksWhenIdle()
    async with agent_at(tmp_path, host) as agent:
        await agent.prompt({"text": SLOW})
        host.agent = agent
        for text in ("text: second", "text: third"):
            assert "queuedId" in await agent.prompt({"text": text, "queue": True})
        status = await agent.wait({"timeoutSeconds": 20})
        assert (status["state"], status["queue"]) == ("idle", [])
        assert len(host.answers) == 3
        assert await asyncio.gather(*host.answers) == [status] * 3
    assert str(host.facts).count("'operationFinished'") == 3


async def test_the_run_that_a_compaction_was_for_is_waited_for(tmp_path: Path) -> None:
    host = RecordingHost()
    async with agent_at(tmp_path, host) as agent:
        for _ in range(4):
            await talk(agent, "text: fine")
        assert "failed" in await talk(agent, "error: server It broke.")
        host.facts.clear()
        assert (await agent.continuing.compact_first({}))["outcome"] == "started"
        assert (await agent.wait({"timeoutSeconds": 20}))["state"] == "idle"
    assert str(host.facts).count("'operationFinished'") == 2


async def test_a_prompt_that_waits_for_the_user_is_not_waited_for(tmp_path: Path) -> None:
    async with agent_at(tmp_path) as agent:
        await agent.prompt({"text": "sleep: 60000\ntext: never"})
        await agent.prompt({"text": "text: second", "queue": True})
        await agent.abort({})
        status = await agent.wait({"timeoutSeconds": 20})
        assert (status["state"], len(status["queue"])) == ("idle", 1)
