"""A workspace agent of this process, with the demo model, for tests without an editor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.support.recording_host import RecordingHost

from perdure.agent.settings import Settings
from perdure.agent.workspace import WorkspaceAgent
from perdure.json_types import JsonObject, JsonValue
from perdure.protocol.status import Status

SETTINGS: JsonObject = {
    "model": {"provider": "demo"},
    "approval": {"bash": "allow", "write": "allow", "edit": "allow"},
    "resume": "never",
    "durability": "process",
}


@asynccontextmanager
async def agent_at(
    home: Path,
    host: RecordingHost | None = None,
    *,
    folder: str = "work",
    environ: Mapping[str, str] | None = None,
    **settings: JsonValue,
) -> AsyncIterator[WorkspaceAgent]:
    """Start an agent on ``home/<folder>``; ``settings`` replace whole sections."""
    root = home / folder
    root.mkdir(exist_ok=True)
    agent = WorkspaceAgent(
        folder_uri=root.as_uri(),
        root=root,
        settings=Settings.model_validate({**SETTINGS, **settings}),
        host=host or RecordingHost(),
        environ={"PERDURE_STATE_DIR": str(home / "state"), **(environ or {})},
    )
    await agent.start()
    try:
        yield agent
    finally:
        await agent.close()


async def talk(agent: WorkspaceAgent, *script: str) -> Status:
    """Send a script of the demo model and wait until nothing runs."""
    await agent.prompt({"text": "\n".join(script)})
    return await agent.wait({"timeoutSeconds": 20})


async def leave_unfinished(home: Path, *script: str) -> None:
    """Begin a run and end the agent while the model answers its last step."""
    host = RecordingHost()
    async with agent_at(home, host) as agent:
        await agent.prompt({"text": "\n".join((*script, "sleep: 60000", "text: late"))})
        async with asyncio.timeout(20):
            while _attempts(host) <= script.count("---"):  # noqa: ASYNC110  a host has no event
                await asyncio.sleep(0.01)


def session_file(home: Path) -> Path:
    """The only session file."""
    (path,) = session_files(home)
    return path


def session_files(home: Path) -> list[Path]:
    """All session files, in the order of their creation."""
    return sorted((home / "state").glob("workspaces/*/sessions/*.jsonl"))


def _attempts(host: RecordingHost) -> int:
    return sum("'stepAttempt'" in str(fact) for fact in host.facts)
