"""What an editor sees of the real agent by standard features alone."""

from __future__ import annotations

import asyncio
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.support.lsp_client import SERVE, server_environment
from tests.support.model_replies import by_turn, calls_reply, hang_reply, text_reply
from tests.support.scene import APPROVES, scene_at, wait_state

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

ASK: JsonObject = {"approval": {"bash": "ask"}}


async def _diagnostic(client: LspClient) -> Any:  # noqa: ANN401
    shown = await client.until(
        "textDocument/publishDiagnostics", lambda params: params["diagnostics"]
    )
    return shown["uri"], shown["diagnostics"][0]


async def _actions(client: LspClient, uri: str) -> dict[str, Any]:
    start = {"line": 0, "character": 0}
    params: Any = {
        "textDocument": {"uri": uri},
        "range": {"start": start, "end": start},
        "context": {"diagnostics": []},
    }
    actions = await client.request("textDocument/codeAction", params)
    return {action["title"]: action["command"] for action in actions}


async def test_blocked_is_a_diagnostic_and_its_action_ends_it(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply()]) as scene:
        async with scene.server() as client:
            accepted = await client.command("prompt", text="go")
            scene.model.wait_for_requests(1)
            client.kill()
        async with scene.server(settings={"model": {"name": "another"}}) as client:
            uri, diagnostic = await _diagnostic(client)
            assert uri == f"perdure:/{accepted['sessionId']}.md"
            assert diagnostic["code"] == "configuration_changed"
            assert "another" in diagnostic["message"]
            abort = (await _actions(client, uri))["Abort the operation"]
            result = await client.request(
                "workspace/executeCommand",
                {"command": abort["command"], "arguments": abort["arguments"]},
            )
            assert result["outcome"] == "aborted"
            await client.until(
                "textDocument/publishDiagnostics", lambda params: not params["diagnostics"]
            )
            assert await _actions(client, uri) == {}


@pytest.mark.hazard("Corrupt log: the server stays up and says so; no restart loop")
async def test_a_corrupt_log_is_a_diagnostic(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one")]) as scene:
        async with scene.server() as client:
            await scene.talk(client, "one")
        path = scene.session_file()
        lines = path.read_bytes().split(b"\n")
        lines[2] = lines[2][:-5]
        path.write_bytes(b"\n".join(lines))
        before = scene.digest()
        async with scene.server() as client:
            status = await wait_state(client, "unavailable")
            assert status["blocked"]["code"] == "session_corrupt"
            assert status["blocked"]["details"][0]["field"].startswith("line 3, byte ")
            assert (await client.command("newSession"))["state"] == "idle"
            assert await client.shutdown() == 0
        assert before in {_digest(file) for file in scene.session_files()}


@pytest.mark.hazard('A null answer to an approval means "not decided", never "deny"')
async def test_an_approval_that_is_not_decided_stays_pending(tmp_path: Path) -> None:
    replies = by_turn(calls_reply(("bash", {"command": "echo hi > out"})), text_reply("done"))
    with scene_at(tmp_path, replies) as scene:
        async with scene.server(settings=ASK, capabilities=APPROVES) as client:
            client.on_request("perdure/approve", lambda _: None)
            await client.command("prompt", text="go")
            status = await wait_state(client, "waitingForApproval")
            approval = status["approval"]
            assert (approval["toolName"], scene.text("out")) == ("bash", "")
            await client.command("approve", approvalId=approval["approvalId"], decision="allow")
            await wait_state(client, "idle")
            assert scene.text("out") == "hi\n"
            [asked] = client.requests["perdure/approve"]
            assert asked["approvalId"] == approval["approvalId"]


async def test_facts_are_published_as_they_stand_in_the_file(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one")]) as scene:
        async with scene.server() as client:
            await scene.talk(client, "one")
            told = client.notifications["perdure/committed"]
            assert [fact for params in told for fact in params["facts"]] == scene.facts()
            texts = [params["text"] for params in client.notifications["perdure/delta"]]
            assert "".join(texts) == "one"


async def test_serving_on_tcp(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *SERVE,
        "--tcp",
        "127.0.0.1:0",
        env=server_environment(tmp_path),
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    listening = await asyncio.wait_for(process.stderr.readline(), 10)
    port = int(listening.split()[-1])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
    ).encode()
    writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    assert (await reader.readline()).startswith(b"Content-Length: ")
    writer.close()
    assert await asyncio.wait_for(process.wait(), 5) == 1


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
