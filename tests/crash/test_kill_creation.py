"""SIGKILL before each system call that creates a session: the workspace is usable afterwards."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.support.model_replies import text_reply
from tests.support.scene import Scene, scene_at
from tests.support.strace import ALL_THREADS, needs_strace, traced
from tests.support.torture import report

from perdure.cli.lsp_client import ConnectionLost
from perdure.core.reducer import Reduced, reduce_session

pytestmark = [pytest.mark.process, needs_strace]


@pytest.mark.asyncio
@pytest.mark.parametrize("call", ["mkdir", "flock", "fdatasync", "fsync"])
async def test_killed_while_a_session_is_created(tmp_path: Path, call: str) -> None:
    number = 1
    while await _is_killed_and_usable(tmp_path / str(number), call, number):
        number += 1
    report(7, "points killed", number - 1)
    assert number > 1


async def _is_killed_and_usable(home: Path, call: str, number: int) -> bool:
    """Return False when there is no such call any more."""
    with scene_at(home, lambda *_: text_reply("yes")) as scene:
        if not await _is_killed(scene, call, number):
            return False
        async with scene.server() as client:
            await scene.talk(client, "go")
        session = reduce_session(scene.session_files()[-1].read_bytes())
        assert isinstance(session, Reduced)
        said = [message["content"] for message in session.state.transcript]
        assert said == ["go", "yes"]
        return True


async def _is_killed(scene: Scene, call: str, number: int) -> bool:
    inject = f"inject={call}:signal=SIGKILL:when={number}"
    options = (*ALL_THREADS, "-o", "/dev/null", "-e", f"trace={call}", "-e", inject)
    async with scene.server() as client:
        await client.command("sessions")
        async with traced(client.process.pid, *options):
            try:
                async with asyncio.timeout(20):
                    await client.command("newSession")
            except ConnectionLost:
                return True
        return False
