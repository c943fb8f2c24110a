"""A renamed folder: its session goes on as a new one, under the new identity."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.agent_home import agent_at, leave_unfinished, session_files, talk

from perdure.errors import CommandError
from perdure.store.fork import origin_path

pytestmark = pytest.mark.asyncio


def _header(session: Path) -> dict[str, str]:
    header: dict[str, str] = json.loads(session.read_bytes().split(b"\n", 1)[0])
    return header


@pytest.mark.requirement(50, 55)
async def test_the_run_is_aborted_and_its_past_goes_on_here(tmp_path: Path) -> None:
    await leave_unfinished(tmp_path, "text: one", 'call: bash {"command": "true"}', "---")
    (tmp_path / "work").rename(tmp_path / "renamed")
    async with agent_at(tmp_path, folder="renamed") as agent:
        blocked = agent.status()["blocked"]
        assert blocked is not None
        assert blocked["code"] == "environment_changed"
        assert "perdure.relocate" in [action["command"] for action in blocked["actions"]]
        status = await agent.remedies.relocate({})
        assert status["state"] == "idle"
        old, new = session_files(tmp_path)
        assert '"outcome":"aborted"' in old.read_text().splitlines()[-1]
        assert old.read_bytes().split(b"\n")[1:] == new.read_bytes().split(b"\n")[1:]
        assert _header(new)["id"] == status["sessionId"]
        assert _header(new)["environmentIdentity"] == str(tmp_path / "renamed")
        assert json.loads(origin_path(new).read_bytes()) == {"session": old.name}
        assert (await talk(agent, "text: two"))["state"] == "idle"
    assert len(session_files(tmp_path)) == 2


async def test_after_a_crash_between_abort_and_fork(tmp_path: Path) -> None:
    await leave_unfinished(tmp_path)
    (tmp_path / "work").rename(tmp_path / "renamed")
    async with agent_at(tmp_path, folder="renamed") as agent:
        await agent.abort({})
    async with agent_at(tmp_path, folder="renamed") as agent:
        old = agent.status()["sessionId"]
        assert (await agent.remedies.relocate({}))["sessionId"] != old


async def test_a_session_of_this_folder_stays(tmp_path: Path) -> None:
    await leave_unfinished(tmp_path)
    async with agent_at(tmp_path) as agent:
        with pytest.raises(CommandError, match="already"):
            await agent.remedies.relocate({})
        assert agent.status()["state"] == "suspended"


async def test_without_a_session(tmp_path: Path) -> None:
    async with agent_at(tmp_path) as agent:
        with pytest.raises(CommandError, match="no session"):
            await agent.remedies.relocate({})
