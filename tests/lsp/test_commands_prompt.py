"""``perdure.prompt``, ``wait`` and what they answer while something is unfinished."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.support.model_replies import hang_reply, text_reply
from tests.support.scene import scene_at, wait_state

from perdure.cli.lsp_client import RpcError
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]


@pytest.mark.requirement(33)
@pytest.mark.hazard("K9 right after the client heard accepted: the prompt is on disk")
async def test_what_was_accepted_is_on_disk(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("done")] * 2) as scene:
        async with scene.server() as client:
            accepted = await client.command("prompt", text="go")
            client.kill()
        assert scene.names()[:2] == ["user", "runStarted"]
        assert scene.records("runStarted")[0]["operationId"] == accepted["operationId"]
        assert accepted["sessionId"] in scene.session_file().name
        async with scene.server() as client:
            await wait_state(client, "idle")
        assert scene.names().count("user") == 1
        assert scene.names()[-1] == "operationFinished:completed"


@pytest.mark.hazard("Text typed while the agent works is never lost")
@pytest.mark.parametrize("resume", ["auto", "never"])
async def test_unfinished_is_busy(tmp_path: Path, resume: str) -> None:
    with scene_at(tmp_path, lambda *_: hang_reply()) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            scene.model.wait_for_requests(1)
            client.kill()
        async with scene.server(settings={"resume": resume}) as client:
            state = "running" if resume == "auto" else "suspended"
            await wait_state(client, state)
            facts = len(scene.facts())
            for command, argument in _REFUSED:
                with pytest.raises(RpcError) as busy:
                    await client.command(command, **argument)
                assert busy.value.data["code"] == "busy", command
                assert busy.value.data["status"]["state"] == state
            assert "user" not in scene.names()[1:]
            assert len(scene.facts()) - facts <= 1


_REFUSED: tuple[tuple[str, JsonObject], ...] = (
    ("prompt", {"text": "more"}),
    ("prompt", {"text": "more", "newSession": True}),
    ("compact", {}),
    ("newSession", {}),
    ("openSession", {"sessionId": "01900000-0000-7000-8000-000000000000"}),
)


async def test_prompts_at_once_are_one_run(tmp_path: Path) -> None:
    with scene_at(tmp_path, lambda *_: hang_reply()) as scene:
        async with scene.server() as client:
            prompts = [client.begin_command("prompt", text=f"{n}")[1] for n in range(4)]
            answers = await asyncio.gather(*prompts, return_exceptions=True)
            assert sum(isinstance(answer, RpcError) for answer in answers) == 3
            assert isinstance(answers[0], dict)
        assert scene.names().count("runStarted") == 1


async def test_wait(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply()]) as scene:
        async with scene.server() as client:
            assert (await client.command("wait"))["state"] == "none"
            await client.command("prompt", text="go")
            running = await client.command("wait", timeoutSeconds=0.05)
            assert running["state"] == "running"
            waiting = client.begin_command("wait")[1]
            await client.command("abort")
            assert (await waiting)["state"] == "idle"


_WRONG: tuple[tuple[str, JsonObject, str], ...] = (
    ("prompt", {}, "arguments[0].text"),
    ("prompt", {"text": 5}, "arguments[0].text"),
    ("prompt", {"text": " \n"}, "prompt is empty"),
    ("prompt", {"text": "go", "newSession": "yes"}, "arguments[0].newSession"),
    ("wait", {"timeoutSeconds": "long"}, "arguments[0].timeoutSeconds"),
    ("approve", {"approvalId": "x", "decision": "perhaps"}, "arguments[0].decision"),
    ("openSession", {}, "arguments[0].sessionId"),
    ("openSession", {"sessionId": "../../etc/passwd"}, "../../etc/passwd"),
    ("prompt", {"text": "go", "sessionId": "*"}, "*"),
    ("abort", {"operationId": ["x"]}, "arguments[0].operationId"),
    ("resume", {"workspaceFolder": 1}, "arguments[0].workspaceFolder"),
    ("nothing", {}, "perdure.nothing"),
)


async def test_wrong_arguments_change_nothing(tmp_path: Path) -> None:
    with scene_at(tmp_path, []) as scene:
        async with scene.server() as client:
            for command, argument, named in _WRONG:
                with pytest.raises(RpcError) as wrong:
                    await client.command(command, **argument)
                assert wrong.value.data["code"] == "invalid_params", (command, argument)
                assert wrong.value.code == -32602
                assert named in wrong.value.message
        assert scene.session_files() == []
        assert scene.model.count == 0
