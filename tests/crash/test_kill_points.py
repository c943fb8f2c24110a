"""SIGKILL at each point of a run with three calls; reopened, the work goes on and ends.

After every one of them: the session is idle, every request has a legal history, there is at most
one request more than without the crash, no effect is there twice, and reopening again does nothing.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.model_replies import (
    Reply,
    ReplyFunction,
    by_turn,
    calls_reply,
    hang_reply,
    text_reply,
)
from tests.support.model_server import assert_legal_history
from tests.support.scene import Scene, scene_at, wait_state

from perdure.cli.lsp_client import LspClient
from perdure.core.reducer import Reduced, reduce_session
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

REQUESTS_WITHOUT_A_CRASH = 2
ASKS: JsonObject = {"approval": {"bash": "ask"}}
FATAL = "echo {} >> marks; kill -9 $(cat server.pid); sleep 60"
"""The effect happens and the server dies before the command has ended."""


def model(*commands: str) -> ReplyFunction:
    """Call bash with these commands in one answer, then stop."""
    calls = [("bash", JsonObject({"command": command})) for command in commands]
    return by_turn(calls_reply(*calls), text_reply("Done."))


def marks(*words: str) -> list[str]:
    """Commands that append one word each."""
    return [f"echo {word} >> marks" for word in words]


async def prompted(scene: Scene, client: LspClient) -> None:
    """Send the prompt; the commands can find the server's pid."""
    (scene.folder / "server.pid").write_text(str(client.process.pid))
    await client.command("prompt", text="go")


async def reopened_until_idle(scene: Scene, *, settings: JsonObject | None = None) -> None:
    """Reopen, wait, check the laws, and reopen once more: nothing happens."""
    async with scene.server(settings=settings) as client:
        await wait_state(client, "idle")
    reduced = reduce_session(scene.session_file().read_bytes())
    assert isinstance(reduced, Reduced)
    assert reduced.state.operation.kind == "idle"
    for request in scene.model.requests:
        assert_legal_history(request.body)
    assert scene.model.count <= REQUESTS_WITHOUT_A_CRASH + 1
    bytes_before, requests_before = scene.digest(), scene.model.count
    async with scene.server(settings=settings) as client:
        assert (await client.command("resume"))["outcome"] == "idle"
    assert (scene.digest(), scene.model.count) == (bytes_before, requests_before)


@pytest.mark.requirement(1, 19, 34, 57)
@pytest.mark.hazard('K9 right after the client heard "accepted"')
async def test_before_the_first_byte_of_the_answer(tmp_path: Path) -> None:
    answers = model(*marks("one"))

    def replies(number: int, body: JsonObject) -> Reply:
        return hang_reply() if number == 1 else answers(number, body)

    with scene_at(tmp_path, replies) as scene:
        async with scene.server() as client:
            await prompted(scene, client)
            scene.model.wait_for_requests(1)
            client.kill()
        assert scene.names()[-1] == "stepAttempt"
        await reopened_until_idle(scene)
        first, second = scene.model.requests[:2]
        assert first.body == second.body
        assert scene.text("marks") == "one\n"


@pytest.mark.requirement(33)
@pytest.mark.hazard("K9 before intent", "K9 while an approval is pending")
async def test_before_the_intent(tmp_path: Path) -> None:
    with scene_at(tmp_path, model(*marks("one"))) as scene:
        async with scene.server(settings=ASKS) as client:
            await prompted(scene, client)
            await wait_state(client, "waitingForApproval")
            client.kill()
        assert scene.names()[-1] == "usage"
        async with scene.server(settings=ASKS) as client:
            status = await wait_state(client, "waitingForApproval")
            approval = status["approval"]["approvalId"]
            await client.command("approve", approvalId=approval, decision="allow")
            await wait_state(client, "idle")
        await reopened_until_idle(scene, settings=ASKS)
        assert scene.text("marks") == "one\n"


@pytest.mark.requirement(2, 38, 66, 82)
@pytest.mark.hazard("K9 after intent")
async def test_after_the_intent(tmp_path: Path) -> None:
    late = "sleep 2; echo one >> marks"
    with scene_at(tmp_path, model(late, *marks("two"))) as scene:
        async with scene.server() as client:
            await prompted(scene, client)
            await scene.until_fact(client, "toolStarted")
            client.kill()
        await reopened_until_idle(scene)
        assert scene.text("marks") == "two\n"
        assert "tool:interrupted" in scene.names()


@pytest.mark.requirement(2, 3, 38)
@pytest.mark.hazard("K9 during the tool", "`start` is there once")
async def test_during_the_tool(tmp_path: Path) -> None:
    command = "echo start >> marks; sleep 60; echo end >> marks"
    with scene_at(tmp_path, model(command)) as scene:
        async with scene.server() as client:
            await prompted(scene, client)
            await scene.until_file(client, "marks")
            client.kill()
        await reopened_until_idle(scene)
        assert scene.text("marks") == "start\n"
        (result,) = scene.tool_results()
        assert "status became unknown" in result


@pytest.mark.requirement(2, 3)
@pytest.mark.hazard("K9 after the effect")
async def test_after_the_effect(tmp_path: Path) -> None:
    with scene_at(tmp_path, model(FATAL.format("one"))) as scene:
        async with scene.server() as client:
            await prompted(scene, client)
            await client.wait(timeout=20)
        assert scene.names()[-1] == "toolStarted"
        await reopened_until_idle(scene)
        assert scene.text("marks") == "one\n"


@pytest.mark.requirement(61, 72)
@pytest.mark.hazard("K9 after result 1 of 3")
async def test_after_the_first_of_three_results(tmp_path: Path) -> None:
    one, three = marks("one", "three")
    with scene_at(tmp_path, model(one, FATAL.format("two"), three)) as scene:
        async with scene.server() as client:
            await prompted(scene, client)
            await client.wait(timeout=20)
        await reopened_until_idle(scene)
        assert scene.text("marks") == "one\ntwo\nthree\n"
        results = [name for name in scene.names() if name.startswith("tool:")]
        assert results == ["tool:success", "tool:interrupted", "tool:success"]


@pytest.mark.requirement(39)
@pytest.mark.hazard("K9 after the last answer")
async def test_after_the_last_answer(tmp_path: Path) -> None:
    with scene_at(tmp_path, model(*marks("one"))) as scene:
        async with scene.server() as client:
            await scene.talk(client, "go")
        lines = scene.session_file().read_bytes().split(b"\n")
        finished = lines[-2]
        assert b"operationFinished" in finished
        without_terminal = finished[: finished.index(b',{"kind":"record"')] + b"]"
        scene.rewrite(b"\n".join([*lines[:-2], without_terminal, b""]))
        facts_before = len(scene.facts())
        await reopened_until_idle(scene)
        assert len(scene.facts()) == facts_before + 1
        assert scene.model.count == REQUESTS_WITHOUT_A_CRASH


@pytest.mark.requirement(136)
@pytest.mark.hazard("K9 after the terminal record", "A second resume calls nothing")
async def test_after_the_terminal_record(tmp_path: Path) -> None:
    with scene_at(tmp_path, model(*marks("one"))) as scene:
        async with scene.server() as client:
            await prompted(scene, client)
            await scene.until_fact(client, "operationFinished:completed")
            client.kill()
        before = scene.digest()
        await reopened_until_idle(scene)
        assert scene.digest() == before
        assert scene.model.count == REQUESTS_WITHOUT_A_CRASH
        assert scene.text("marks") == "one\n"


@pytest.mark.hazard("K9 5 ms after the client first saw a result: the result is on disk")
async def test_what_the_client_saw_is_on_disk(tmp_path: Path) -> None:
    with scene_at(tmp_path, model("echo seen; echo one >> marks")) as scene:
        async with scene.server() as client:
            await prompted(scene, client)
            await scene.until_fact(client, "tool:success")
            client.kill()
        assert scene.tool_results() == ["seen\n"]
        await reopened_until_idle(scene)
        assert scene.text("marks") == "one\n"
