"""How a server process ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest
from tests.support.lsp_client import TRIVIAL, start_server, workspace
from tests.support.notes import noted

from perdure.cli.lsp_client import LspClient, RpcError

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

END_SECONDS = 2.5
"""The promise is two seconds from the client's end; the rest is the machine."""


async def _started(client: LspClient, folder: Path, pid: int | None = None) -> None:
    await client.initialize([folder], processId=pid)
    await client.command("status")


async def test_shutdown_suspends_and_exit_code_is_0(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await _started(client, folder)
        await client.request("shutdown")
        assert "closed" in (folder / "notes.txt").read_text()
        with pytest.raises(RpcError) as refused:
            await client.command("status")
        assert refused.value.code == -32600
        client.notify("exit")
        assert await client.wait() == 0


@pytest.mark.hazard("the exit code is always 0")
async def test_exit_without_shutdown_is_1(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await _started(client, folder)
        client.notify("exit")
        assert await client.wait() == 1
    assert "closed" in (folder / "notes.txt").read_text()


@pytest.mark.hazard("shutdown with a command in flight fails")
async def test_shutdown_with_commands_in_flight(tmp_path: Path) -> None:
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await _started(client, workspace(tmp_path))
        pending = [client.begin_command("prompt", text="sleep 60") for _ in range(5)]
        await client.command("status")
        assert await client.shutdown() == 0
        for _, answer in pending:
            with pytest.raises(RpcError) as cancelled:
                await answer
            assert cancelled.value.code == -32800


async def test_what_ends_while_the_server_shuts_down_is_answered_with_its_result(
    tmp_path: Path,
) -> None:
    environ = {"TRIVIAL_CLOSE": "1"}
    async with start_server(tmp_path, command=TRIVIAL, environ=environ) as client:
        folder = workspace(tmp_path)
        await _started(client, folder)
        _, prompt = client.begin_command("prompt", text="sleep 0.2")
        _, waiting = client.begin_command("wait")
        await noted(folder, "begin")
        assert await client.shutdown() == 0
        assert (await prompt)["operationId"] == "o1"
        with pytest.raises(RpcError, match="cancelled"):
            await waiting


@pytest.mark.hazard("After EOF a server lives until its running thread ends")
@pytest.mark.parametrize("deed", ["sleep 60", "thread"])
async def test_end_of_input_suspends_and_ends_the_process(tmp_path: Path, deed: str) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await _started(client, folder)
        client.begin_command("prompt", text=deed)
        await client.command("status")
        client.close_stdin()
        assert await client.wait(timeout=END_SECONDS) == 1
    assert "closed" in (folder / "notes.txt").read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_suspends_and_ends_the_process(
    tmp_path: Path, number: signal.Signals
) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await _started(client, folder)
        client.begin_command("prompt", text="thread")
        await client.command("status")
        client.process.send_signal(number)
        assert await client.wait(timeout=END_SECONDS) == 1
    assert "closed" in (folder / "notes.txt").read_text()
    assert number.name in (tmp_path / "stderr.txt").read_text()


async def test_an_agent_that_does_not_close_cannot_keep_the_process(tmp_path: Path) -> None:
    environ = {"TRIVIAL_CLOSE": "60"}
    async with start_server(tmp_path, command=TRIVIAL, environ=environ) as client:
        await _started(client, workspace(tmp_path))
        client.close_stdin()
        assert await client.wait(timeout=END_SECONDS) == 1


async def test_a_client_that_vanishes_with_its_pipe_held_open(tmp_path: Path) -> None:
    editor = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "import time; time.sleep(1000)"
    )
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await _started(client, workspace(tmp_path), editor.pid)
        editor.kill()
        await editor.wait()
        assert await client.wait(timeout=END_SECONDS) == 1
    assert f"pid {editor.pid}" in (tmp_path / "stderr.txt").read_text()


async def test_a_client_whose_process_is_not_visible_here_is_served(tmp_path: Path) -> None:
    gone = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await gone.wait()
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await _started(client, workspace(tmp_path), gone.pid)
        await client.command("wait", timeoutSeconds=1)
        assert await client.shutdown() == 0


async def test_a_stalled_client_cannot_keep_the_process(tmp_path: Path) -> None:
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await _started(client, workspace(tmp_path))
        client.stop_reading()
        client.begin_command("prompt", text="flood 50")
        await asyncio.sleep(0.5)
        client.close_stdin()
        assert await client.wait(timeout=END_SECONDS) == 1


@pytest.mark.hazard("Idle: RSS < 120 MB")
async def test_an_idle_server_is_small(tmp_path: Path) -> None:
    async with start_server(tmp_path) as client:
        await client.initialize([workspace(tmp_path)])
        await client.command("status")
        assert _resident_bytes(client.process.pid) < 120 * 1024 * 1024


def _resident_bytes(pid: int) -> int:
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
