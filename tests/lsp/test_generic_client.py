"""An editor that has never heard of Perdure: everything by standard LSP alone.

It prompts by ``workspace/executeCommand``, watches work-done progress, approves by
``window/showMessageRequest``, reads diagnostics and takes code actions. Nothing that starts with
``perdure/`` is looked at.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.model_replies import by_turn, calls_reply, hang_reply, text_reply
from tests.support.scene import scene_at
from tests.support.transcript_reader import Reader

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

PROGRESS: JsonObject = {"window": {"workDoneProgress": True}}
ASKS: JsonObject = {"approval": {"bash": "ask"}}


async def until_progress(client: LspClient, kind: str) -> Any:  # noqa: ANN401
    """Wait for the ``begin`` or ``end`` of an operation."""
    return await client.until("$/progress", lambda params: params["value"]["kind"] == kind)


async def until_diagnostic(client: LspClient, code: str) -> tuple[str, Any]:
    """Wait for a diagnostic of Perdure; return the document and the diagnostic."""

    def has(params: Any) -> bool:  # noqa: ANN401
        return any(d["source"] == "perdure" and d["code"] == code for d in params["diagnostics"])

    published = await client.until("textDocument/publishDiagnostics", has)
    return published["uri"], published["diagnostics"][0]


async def take_action(client: LspClient, uri: str, diagnostic: Any, title: str) -> None:  # noqa: ANN401
    """Choose the code action of a diagnostic whose title begins so."""
    params: JsonObject = {
        "textDocument": {"uri": uri},
        "range": diagnostic["range"],
        "context": {"diagnostics": [diagnostic]},
    }
    actions = await client.request("textDocument/codeAction", params)
    command = next(a["command"] for a in actions if a["title"].startswith(title))
    arguments = {"command": command["command"], "arguments": command["arguments"]}
    await client.request("workspace/executeCommand", arguments)


async def test_prompt_progress_approval_and_the_answer(tmp_path: Path) -> None:
    replies = by_turn(calls_reply(("bash", {"command": "echo one >> f"})), text_reply("All done."))
    with scene_at(tmp_path, replies) as scene:
        async with scene.server(settings=ASKS, capabilities=PROGRESS, choose="Allow") as client:
            accepted = await client.command("prompt", text="go")
            await until_progress(client, "begin")
            await until_progress(client, "end")
            (question,) = client.requests["window/showMessageRequest"]
            assert "echo one >> f" in question["message"]
            shown = [
                params["value"].get("message") for params in client.notifications["$/progress"]
            ]
            assert "Waiting for you: bash: echo one >> f" in shown
            reader = Reader(client, f"perdure:/{accepted['sessionId']}.md")
            assert "All done." in await reader.text()
        assert scene.text("f") == "one\n"


@pytest.mark.requirement(49)
async def test_a_blocked_run_says_why_and_is_aborted_by_its_action(tmp_path: Path) -> None:
    with scene_at(tmp_path, lambda _number, _body: hang_reply()) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            scene.model.wait_for_requests(1)
            client.kill()
        other: JsonObject = {"model": {"name": "other-model"}}
        async with scene.server(settings=other) as client:
            uri, diagnostic = await until_diagnostic(client, "configuration_changed")
            assert "test-model" in diagnostic["message"]
            assert "other-model" in diagnostic["message"]
            await take_action(client, uri, diagnostic, "Abort")
            await client.until(
                "textDocument/publishDiagnostics",
                lambda params: params["uri"] == uri and not params["diagnostics"],
            )
        assert scene.names()[-1] == "operationFinished:aborted"
        assert scene.model.count == 1


async def test_a_running_operation_is_aborted_by_its_progress(tmp_path: Path) -> None:
    with scene_at(tmp_path, lambda _number, _body: hang_reply()) as scene:
        async with scene.server(capabilities=PROGRESS) as client:
            await client.command("prompt", text="go")
            begun = await until_progress(client, "begin")
            client.notify("window/workDoneProgress/cancel", {"token": begun["token"]})
            await until_progress(client, "end")
        assert scene.names()[-1] == "operationFinished:aborted"


async def test_a_suspended_operation_is_resumed_by_its_lens(tmp_path: Path) -> None:
    replies = by_turn(
        calls_reply(("bash", {"command": "echo one >> f; sleep 60"})), text_reply(".")
    )
    with scene_at(tmp_path, replies) as scene:
        async with scene.server() as client:
            accepted = await client.command("prompt", text="go")
            await scene.until_file(client, "f")
            client.kill()
        never: JsonObject = {"resume": "never"}
        async with scene.server(settings=never, capabilities=PROGRESS) as client:
            await Reader(client, f"perdure:/{accepted['sessionId']}.md").press("Resume")
            await until_progress(client, "end")
        assert scene.text("f") == "one\n"
        assert scene.names()[-1] == "operationFinished:completed"
