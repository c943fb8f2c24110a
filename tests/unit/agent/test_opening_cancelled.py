"""An opening that is cut short wherever it waits for a thread: nothing holds the session then."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_home import SETTINGS, agent_at, session_file, talk
from tests.support.recording_host import RecordingHost

from perdure.agent.settings import Settings
from perdure.agent.workspace import WorkspaceAgent
from perdure.store.jsonl import SessionStore
from perdure.store.options import system_options


class HaltingExecutor(ThreadPoolExecutor):
    """Does one thing after the other; what comes after the first ``count`` waits for ``gate``.

    ``halted`` is set when something does.
    """

    def __init__(self, count: int) -> None:
        super().__init__(1)
        self.gate = threading.Event()
        self.halted = asyncio.Event()
        self._left = count

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        """See ``Executor``."""
        if self._left == 0:
            super().submit(self.gate.wait)
            self.halted.set()
        self._left -= 1
        return super().submit(fn, *args, **kwargs)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A session in which something was said."""

    async def say_something() -> None:
        async with agent_at(tmp_path) as agent:
            await talk(agent, "text: done")

    asyncio.run(say_something())
    return session_file(tmp_path)


@pytest.mark.hazard("Coroutine handlers are cancelled by `$/cancelRequest`")
@pytest.mark.parametrize("count", range(8))
def test_it_gives_the_session_back(tmp_path: Path, session: Path, count: int) -> None:
    root = tmp_path / "work"

    async def scenario() -> None:
        executor = HaltingExecutor(count)
        asyncio.get_running_loop().set_default_executor(executor)
        agent = WorkspaceAgent(
            folder_uri=root.as_uri(),
            root=root,
            settings=Settings.model_validate(SETTINGS),
            host=RecordingHost(),
            environ={"PERDURE_STATE_DIR": str(tmp_path / "state")},
        )
        starting = asyncio.create_task(agent.start())
        halted = asyncio.create_task(executor.halted.wait())
        await asyncio.wait({starting, halted}, return_when=asyncio.FIRST_COMPLETED)
        halted.cancel()
        starting.cancel()
        executor.gate.set()
        await asyncio.wait({starting})
        await agent.close()
        await (await SessionStore.open(session, options=system_options())).close()

    asyncio.run(scenario())
