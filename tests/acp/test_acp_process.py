"""``perdure acp``, driven by the SDK's own client: kill, load, resume, close, go away."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Coroutine
from pathlib import Path

import pytest
from acp import RequestError
from acp.schema import PromptResponse
from tests.support.acp_client import ALLOWED, COMMAND, Acp, acp_at, configure
from tests.support.lsp_client import server_environment
from tests.support.model_replies import (
    by_turn,
    calls_reply,
    hang_reply,
    text_reply,
)
from tests.support.model_server import assert_legal_history
from tests.support.scene import eventually, scene_at

from perdure.core.constants import SYNTHETIC_TEXT
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

WRITE: tuple[str, JsonObject] = ("write", {"path": "a.txt", "content": "new\n"})
SLEEPER: tuple[str, JsonObject] = ("bash", {"command": "echo begun >> effects; sleep 300"})


@pytest.mark.requirement(2, 82)
async def test_killed_and_loaded_it_goes_on_with_the_effect_once(tmp_path: Path) -> None:
    replies = by_turn(calls_reply(SLEEPER, text="Wait."), text_reply("Done."))
    with scene_at(tmp_path, replies) as scene:
        async with acp_at(scene, settings=ALLOWED) as acp:
            turn = await _killed_in_a_turn(acp, eventually(lambda: scene.text("effects") != ""))
            assert turn.exception() is not None
        async with acp_at(scene, load=acp.session_id, settings=ALLOWED) as loaded:
            await loaded.until(lambda: "Done." in loaded.client.text())
            assert (await loaded.prompt("and?")).stop_reason == "end_turn"
        for request in scene.model.requests:
            assert_legal_history(request.body)
        assert scene.text("effects") == "begun\n"
    assert loaded.client.text("user_message_chunk") == "go"
    assert loaded.client.text().startswith("Wait.")
    assert loaded.client.statuses() == ["pending", "in_progress", "failed"]
    interrupted = loaded.client.named("tool_call_update")[-1]
    assert interrupted.raw_output == SYNTHETIC_TEXT["interrupted"]


async def test_load_shows_what_happened_and_resume_does_not(tmp_path: Path) -> None:
    with scene_at(tmp_path, by_turn(calls_reply(WRITE), text_reply("Done."))) as scene:
        async with acp_at(scene) as acp:
            await acp.prompt("go")
        async with acp_at(scene, load=acp.session_id) as loaded:
            (info,) = (await loaded.connection.list_sessions(cwd=str(scene.folder))).sessions
            assert (info.session_id, info.title) == (acp.session_id, "go")
            await loaded.connection.close_session(session_id=acp.session_id)
            before = list(loaded.client.updates)
            await loaded.connection.resume_session(
                session_id=acp.session_id, cwd=str(scene.folder), mcp_servers=[]
            )
            new = loaded.client.updates[len(before) :]
    assert [update.session_update for update in before] == [
        "user_message_chunk",
        "tool_call",
        "tool_call_update",
        "tool_call_update",
        "agent_message_chunk",
        "available_commands_update",
    ]
    assert before[3].content[0].type == "diff"
    assert [update.session_update for update in new] == ["available_commands_update"]


async def test_resumed_without_a_replay_its_calls_are_known(tmp_path: Path) -> None:
    replies = by_turn(calls_reply(SLEEPER), text_reply("Done."))
    with scene_at(tmp_path, replies) as scene:
        async with acp_at(scene, settings=ALLOWED) as acp:
            await _killed_in_a_turn(acp, eventually(lambda: scene.text("effects") != ""))
        async with acp_at(scene, settings=ALLOWED) as again:
            folder = str(scene.folder)
            await again.connection.resume_session(
                session_id=acp.session_id, cwd=folder, mcp_servers=[]
            )
            await again.until(lambda: again.client.text() == "Done.")
    assert again.client.statuses() == ["failed"]


async def test_closing_a_session_ends_its_turn_and_suspends_its_work(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("Done.")]) as scene:
        async with acp_at(scene) as acp:
            turn = asyncio.create_task(acp.prompt("go"))
            await asyncio.to_thread(scene.model.wait_for_requests, 1)
            await acp.connection.close_session(session_id=acp.session_id)
            with pytest.raises(RequestError, match="closed"):
                await turn
            assert scene.names()[-1] == "stepAttempt"
            folder = str(scene.folder)
            await acp.connection.load_session(session_id=acp.session_id, cwd=folder, mcp_servers=[])
            await acp.until(lambda: acp.client.text() == "Done.")


async def test_a_damaged_session_is_not_loaded_and_says_where(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("Yes.")]) as scene:
        async with acp_at(scene) as acp:
            await acp.prompt("go")
        log = scene.session_file()
        log.write_bytes(log.read_bytes().replace(b'"go"', b'"no"'))
        async with acp_at(scene) as again:
            with pytest.raises(RequestError, match="line 2"):
                await again.connection.load_session(
                    session_id=acp.session_id, cwd=str(scene.folder), mcp_servers=[]
                )


async def test_unfinished_work_that_waits_is_resumed_by_a_command(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("Done.")]) as scene:
        async with acp_at(scene) as acp:
            await _killed_in_a_turn(acp, asyncio.to_thread(scene.model.wait_for_requests, 1))
        async with acp_at(scene, load=acp.session_id, settings='resume = "never"') as loaded:
            assert "/resume" in loaded.client.text()
            with pytest.raises(RequestError, match="/abort"):
                await loaded.prompt("something else")
            assert (await loaded.prompt("/resume")).stop_reason == "end_turn"
    assert loaded.client.text().endswith("Done.")


async def test_blocked_work_says_why_and_is_finished_as_it_was_begun(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("Done.")]) as scene:
        async with acp_at(scene) as acp:
            await _killed_in_a_turn(acp, asyncio.to_thread(scene.model.wait_for_requests, 1))
        async with acp_at(scene, load=acp.session_id, PERDURE_MODEL="other-model") as loaded:
            assert "model: recorded test-model, now other-model" in loaded.client.text()
            assert (await loaded.prompt("/resume-recorded")).stop_reason == "end_turn"
        assert scene.names()[-1] == "operationFinished:completed"
        assert {request.body["model"] for request in scene.model.requests} == {"test-model"}


async def test_the_end_of_input_ends_it_and_it_writes_nothing_else(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        env=server_environment(tmp_path),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    output, _ = await asyncio.wait_for(process.communicate(b""), 30)
    assert (process.returncode, output) == (0, b"")


async def test_a_file_or_a_device_is_read_and_written_as_a_pipe_is(tmp_path: Path) -> None:
    asked, answered = tmp_path / "asked", tmp_path / "answered"
    asked.write_bytes(_request(1, "initialize", {"protocolVersion": 1}))
    for source in (Path("/dev/null"), asked):
        with source.open("rb") as reading, answered.open("wb") as writing:
            process = await asyncio.create_subprocess_exec(
                *COMMAND,
                env=server_environment(tmp_path),
                stdin=reading,
                stdout=writing,
                stderr=asyncio.subprocess.PIPE,
            )
        _, said = await asyncio.wait_for(process.communicate(), 30)
        assert (process.returncode, said) == (0, b"")
    assert json.loads(answered.read_bytes())["result"]["protocolVersion"] == 1


@pytest.mark.hazard("A client that stops reading stdout blocks the loop in `write`")
async def test_a_client_that_stops_reading_holds_up_nothing(tmp_path: Path) -> None:
    long = text_reply("x" * 2_000_000, pieces=200)
    with scene_at(tmp_path, by_turn(calls_reply(WRITE), long)) as scene:
        configure(scene, ALLOWED)
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            env=server_environment(scene.home),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=4_096,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        initialize: JsonObject = {"protocolVersion": 1}
        new: JsonObject = {"cwd": str(scene.folder), "mcpServers": []}
        process.stdin.write(_request(1, "initialize", initialize) + _request(2, "session/new", new))
        await process.stdout.readline()
        session_id = json.loads(await process.stdout.readline())["result"]["sessionId"]
        prompt: JsonObject = {"sessionId": session_id, "prompt": [{"type": "text", "text": "go"}]}
        process.stdin.write(_request(3, "session/prompt", prompt))
        await eventually(lambda: "operationFinished:completed" in scene.names())
        assert scene.text("a.txt") == "new\n"
        process.kill()
        await process.communicate()


async def _killed_in_a_turn(
    acp: Acp, reached: Coroutine[None, None, object]
) -> asyncio.Task[PromptResponse]:
    """Prompt, kill the agent once a point is ``reached``, and return the turn, which has ended."""
    turn = asyncio.create_task(acp.prompt("go"))
    await reached
    acp.process.send_signal(signal.SIGKILL)
    await asyncio.wait({turn})
    return turn


def _request(number: int, method: str, params: JsonObject) -> bytes:
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(request).encode() + b"\n"


async def test_without_the_sdk_it_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['acp'] = None; from perdure.cli.acp import run; sys.exit(run([]))"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program),
        env=server_environment(tmp_path),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, said = await process.communicate()
    assert (process.returncode, output) == (1, b"")
    assert b"pip install 'perdure[acp]'" in said
