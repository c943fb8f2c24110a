"""Commands about whole sessions, without an editor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.support.recording_host import RecordingHost

from perdure.agent.settings import Settings
from perdure.agent.workspace import WorkspaceAgent
from perdure.errors import CommandError, SessionNotFound

pytestmark = pytest.mark.asyncio


class SlowHost(RecordingHost):
    """Questions are answered when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

    async def ask(self, message: str, actions: Sequence[str]) -> str | None:
        self.questions.append(message)
        self.asked.set()
        return await self.answer


@asynccontextmanager
async def _agent(home: Path, host: RecordingHost) -> AsyncIterator[WorkspaceAgent]:
    folder = home / "work"
    folder.mkdir(exist_ok=True)
    agent = WorkspaceAgent(
        folder_uri=folder.as_uri(),
        root=folder,
        settings=Settings.model_validate({"model": {"provider": "demo"}}),
        host=host,
        environ={"PERDURE_STATE_DIR": str(home / "state")},
    )
    await agent.start()
    try:
        yield agent
    finally:
        await agent.close()


async def _session(agent: WorkspaceAgent) -> str:
    session_id = (await agent.new_session())["sessionId"]
    assert session_id is not None
    return session_id


async def test_other_commands_go_on_while_the_user_is_asked(tmp_path: Path) -> None:
    host = SlowHost()
    async with _agent(tmp_path, host) as agent:
        session_id = await _session(agent)
        deleting = asyncio.create_task(agent.admin.delete({"sessionId": session_id}))
        await host.asked.wait()
        async with asyncio.timeout(10):
            await agent.admin.rename({"sessionId": session_id, "title": "meanwhile"})
            other = await _session(agent)
        host.answer.set_result("Delete")
        assert (await deleting)["outcome"] == "deleted"
        assert agent.status()["sessionId"] == other
        left = (await agent.sessions())["sessions"]
        assert [row["sessionId"] for row in left] == [other]


async def test_what_began_while_the_user_was_asked_is_not_deleted(tmp_path: Path) -> None:
    host = SlowHost()
    async with _agent(tmp_path, host) as agent:
        session_id = await _session(agent)
        deleting = asyncio.create_task(agent.admin.delete({"sessionId": session_id}))
        await host.asked.wait()
        await agent.prompt({"text": "go"})
        host.answer.set_result("Delete")
        with pytest.raises(CommandError) as refused:
            await deleting
        assert refused.value.code == "busy"
        assert len((await agent.sessions())["sessions"]) == 1


async def test_deleting_twice(tmp_path: Path) -> None:
    async with _agent(tmp_path, RecordingHost()) as agent:
        session_id = await _session(agent)
        both = await asyncio.gather(
            agent.admin.delete({"sessionId": session_id, "confirmed": True}),
            agent.admin.delete({"sessionId": session_id, "confirmed": True}),
            return_exceptions=True,
        )
        assert [isinstance(result, SessionNotFound) for result in both] == [False, True]
        assert agent.status()["state"] == "none"


async def test_a_cancelled_search_ends(tmp_path: Path) -> None:
    async with _agent(tmp_path, RecordingHost()) as agent:
        session_id = await _session(agent)
        searching = asyncio.create_task(agent.admin.search({"query": session_id}))
        await asyncio.sleep(0)
        searching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await searching
        assert (await agent.admin.search({"query": session_id}))["sessions"] == []
