"""What a folder shows from the first moment in which its loop works."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.agent_home import agent_at, leave_unfinished
from tests.support.recording_host import RecordingHost

pytestmark = pytest.mark.asyncio

SCRIPT = ('call: bash {"command": "true"}', "---")


@pytest.mark.parametrize("resume", ["auto", "never"])
async def test_the_first_running_status_has_the_plan(tmp_path: Path, resume: str) -> None:
    await leave_unfinished(tmp_path, *SCRIPT)
    host = RecordingHost()
    async with agent_at(tmp_path, host, resume=resume) as agent:
        if resume == "never":
            await agent.resume({})
        first = next(status for status in host.statuses if status["state"] == "running")
    assert first["plan"] is not None
    assert first["operation"] is not None
    assert first["operation"]["label"] == "Asking the model"


async def test_a_prompt_shows_its_plan_at_once(tmp_path: Path) -> None:
    host = RecordingHost()
    async with agent_at(tmp_path, host) as agent:
        await agent.prompt({"text": "text: fine"})
        first = next(status for status in host.statuses if status["state"] == "running")
        await agent.wait({})
    assert first["plan"] is not None
