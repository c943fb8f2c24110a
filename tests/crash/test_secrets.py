"""The provider's key goes to the provider and nowhere else."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
from functools import partial
from pathlib import Path

import pytest
from tests.support.cli import new_cli
from tests.support.lsp_client import SERVE
from tests.support.model_replies import calls_reply, error_reply, hang_reply, text_reply
from tests.support.model_server import ModelServer
from tests.support.scene import APPROVES, Scene, scene_at, wait_state

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

pytestmark = [
    pytest.mark.process,
    pytest.mark.asyncio,
    pytest.mark.hazard("the provider key appears in no session, log or trace"),
]

KEY = "sk-test-4f1d8c0a9e7b"
WITHOUT_PRIVILEGES = () if os.geteuid() else ("setpriv", "--bounding-set=-all")
"""To root, nothing is hidden; without capabilities it is a user like any other."""

NOSY = "env; cat /proc/$PPID/environ | tr '\\0' '\\n'; set"


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "MY_GATEWAY"])
async def test_the_key_is_nowhere(tmp_path: Path, variable: str) -> None:
    replies = [
        calls_reply(("bash", {"command": NOSY})),
        text_reply("fine"),
        error_reply(401, f"Bad header Authorization: Bearer {KEY}"),
    ]
    settings: JsonObject = {"model": {"apiKeyEnv": variable}}
    with scene_at(tmp_path, replies) as scene:
        async with scene.server(settings=settings, environ={variable: KEY}) as client:
            await scene.talk(client, "look around", "again")
            _is_nowhere(scene, client)
            assert await client.shutdown() == 0
        assert "PATH=" in scene.tool_results()[0]
        assert "Authorization" in scene.records("stepFailed")[0]["error"]["message"]
        sent = {request.headers["authorization"] for request in scene.model.requests}
        assert sent == {f"Bearer {KEY}"}
        _is_private(scene.home / "state")


async def test_a_key_that_lies_in_a_file_is_nowhere_else(tmp_path: Path) -> None:
    long = 'yes "$(cat notes.txt)" | head -5000'
    replies = [
        calls_reply(("read", {"path": "notes.txt"}), ("bash", {"command": long})),
        text_reply(f"Your key is {KEY}.", pieces=1),
    ]
    with scene_at(tmp_path, replies) as scene:
        file = scene.folder / "notes.txt"
        file.write_text(f"OPENAI_API_KEY={KEY}\n")
        settings: JsonObject = {"model": {"apiKeyEnv": "OPENAI_API_KEY"}}
        async with scene.server(settings=settings, environ={"OPENAI_API_KEY": KEY}) as client:
            client.notify("$/setTrace", {"value": "verbose"})
            await scene.talk(client, f"Is @notes.txt right? It should be {KEY}.")
            (output,) = (scene.home / "state").rglob("tool-output/*.log")
            assert output.read_text().count("OPENAI_API_KEY=[key]\n") == 5000
            assert scene.tool_results()[0] == "OPENAI_API_KEY=[key]\n"
            assert "Your key is [key]." in scene.session_file().read_text()
            assert KEY not in json.dumps([request.body for request in scene.model.requests])
            file.unlink()
            _is_nowhere(scene, client)
            _is_private(scene.home / "state")


async def test_a_key_that_a_model_tells_in_pieces_is_nowhere(tmp_path: Path) -> None:
    told = calls_reply((f"tell-{KEY}", {"key": KEY}), text=f"Your key is {KEY}.")
    with scene_at(tmp_path, [told, text_reply(f"I said {KEY}, yes", pieces=9)]) as scene:
        async with scene.server(environ={"OPENAI_API_KEY": KEY}) as client:
            await scene.talk(client, "go")
            session_id = client.notifications["perdure/status"][-1]["sessionId"]
            await client.command("renameSession", sessionId=session_id, title=f"Of {KEY}")
            deltas = client.notifications["perdure/delta"]
            shown = "".join(params["text"] for params in deltas)
            assert "Your key is [key]." in shown
            assert shown.endswith("I said [key], yes")
            assert KEY not in shown
            assert KEY not in json.dumps([request.body for request in scene.model.requests])
            _is_nowhere(scene, client)


async def test_a_key_in_the_words_of_a_refusal_is_nowhere(tmp_path: Path) -> None:
    asking: JsonObject = {"approval": {"bash": "ask"}}
    replies = [calls_reply(("bash", {"command": "true"})), text_reply("fine")]
    with scene_at(tmp_path, replies) as scene:
        server = partial(scene.server, settings=asking, capabilities=APPROVES)
        async with server(environ={"OPENAI_API_KEY": KEY}) as client:
            answer: JsonObject = {"decision": "deny", "message": f"Use {KEY}."}
            client.on_request("perdure/approve", lambda _: answer)
            await scene.talk(client, "go")
            assert scene.tool_results()[0].endswith("The user wrote: Use [key].")
            _is_nowhere(scene, client)


async def test_a_key_that_is_typed_does_not_wait_in_the_queue(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply()]) as scene:
        async with scene.server(environ={"OPENAI_API_KEY": KEY}) as client:
            await client.command("prompt", text="stay")
            await asyncio.to_thread(scene.model.wait_for_requests, 1)
            queued = await client.command("prompt", text=f"Use {KEY}", queue=True)
            await client.command("prompt", text=f"Not {KEY}", queue=True)
            edited = await client.command("queueEdit", queuedId=queued["queuedId"], text=f"({KEY})")
            assert [item["text"] for item in edited["items"]] == ["([key])", "Not [key]"]
            _is_nowhere(scene, client)


@pytest.mark.parametrize("form", [[], ["--json"]])
async def test_no_output_of_the_command_line_tells_the_key(tmp_path: Path, form: list[str]) -> None:
    replies = [
        calls_reply(("bash", {"command": f"{NOSY}; cat .env"})),
        error_reply(401, f"Bad header Authorization: Bearer {KEY}"),
    ]
    cli = new_cli(tmp_path, OPENAI_API_KEY=KEY)
    (cli.folder / ".env").write_text(f"KEY={KEY}\n")
    with ModelServer(replies) as model:
        cli.configure(
            f'[model]\nbaseUrl = "{model.base_url}"\nname = "m"\napiKeyEnv = "OPENAI_API_KEY"\n'
        )
        words = ["run", *form, "--allow", "bash", "go"]
        done = await asyncio.to_thread(cli.run, *words)
        assert done.returncode == 1
        assert {request.headers["authorization"] for request in model.requests} == {f"Bearer {KEY}"}
    assert KEY.encode() not in done.stdout + done.stderr
    assert "Authorization" in cli.sessions[0].read_text()
    for path in cli.home.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
@pytest.mark.parametrize(("debug", "seen"), [("", "0\n"), ("1", "1\n")])
async def test_no_command_sees_the_environment_of_the_server(
    tmp_path: Path, debug: str, seen: str
) -> None:
    """Not even of the same user. For a debugger it can be seen, which proves the search."""
    variable = f"KEY_{secrets.token_hex(8).upper()}"
    search = f"cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c '^{variable}='"
    replies = [calls_reply(("bash", {"command": search})), text_reply("fine")]
    settings: JsonObject = {"model": {"apiKeyEnv": variable}}
    environ = {variable: KEY, "PERDURE_DEBUG": debug}
    with scene_at(tmp_path, replies) as scene:
        command = (*WITHOUT_PRIVILEGES, *SERVE)
        async with scene.server(settings=settings, environ=environ, command=command) as client:
            await scene.talk(client, "look around")
        assert scene.tool_results()[0].startswith(seen)


async def test_a_key_in_the_place_of_a_setting_is_not_repeated(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("fine")]) as scene:
        settings: JsonObject = {"apiKey": KEY, "model": {"apiKey": KEY, "contextWindow": KEY}}
        async with scene.server(settings=settings) as client:
            await scene.talk(client, "go")
            told = await client.until("window/showMessage", bool)
            assert "model.contextWindow" in told["message"]
            _is_nowhere(scene, client)


@pytest.mark.hazard("files 0600, directories 0700")
async def test_everything_beside_a_session_is_private_whatever_the_umask(tmp_path: Path) -> None:
    replies = [
        calls_reply(
            ("write", {"path": "a.txt", "content": "a"}),
            ("bash", {"command": "seq 3000"}),
        ),
        text_reply("done"),
        hang_reply(),
        hang_reply(),
    ]
    with scene_at(tmp_path, replies) as scene:
        await _use_all_that_is_kept(scene)
        _is_private(scene.home / "state")
        kept = {path.name.partition(".")[2] for path in scene.session_file().parent.iterdir()}
        assert {"jsonl", "seal", "title", "queue.json", "d"} <= kept
        assert any(name.startswith("torn-") for name in kept)
        data = scene.session_file().with_suffix(".d")
        folders = {path.name for path in data.iterdir() if path.is_dir()}
        assert {"tool-output", "jobs", "images", "prompts"} <= folders
        (workspace,) = (scene.home / "state/workspaces").iterdir()
        assert {"trash", "allowances.json"} <= {path.name for path in workspace.iterdir()}
        assert list(workspace.rglob("trash/*/*.origin.json"))


async def _use_all_that_is_kept(scene: Scene) -> None:
    """Leave every kind of file behind, by servers whose umask hides nothing."""
    open_to_all = ("sh", "-c", 'umask 000; exec "$@"', "sh", *SERVE)
    asking: JsonObject = {"approval": {"bash": "ask"}}
    always = "Always allow in this workspace"
    server = partial(scene.server, command=open_to_all, settings=asking, choose=always)
    async with server() as client:
        await scene.talk(client, "go")
        await client.command("prompt", text="stay")
        await asyncio.to_thread(scene.model.wait_for_requests, 3)
        queued = await client.command("prompt", text="wait", queue=True)
        session_id = queued["sessionId"]
        await client.command("renameSession", sessionId=session_id, title="A name")
        client.kill()
    with scene.session_file().open("ab") as file:
        file.write(b'{"torn')
    (scene.folder / "AGENTS.md").write_text("Whistle.")
    async with server() as client:
        await wait_state(client, "blocked")
        await client.command("showChanged")
        await client.command("abort")
        entry_id = scene.named("user")[1]["id"]
        fork = await client.command("forkSession", sessionId=session_id, entryId=entry_id)
        await client.command("openSession", sessionId=session_id)
        await client.command("deleteSession", sessionId=fork["sessionId"], confirmed=True)
        assert await client.shutdown() == 0


def _is_nowhere(scene: Scene, client: LspClient) -> None:
    for path in scene.home.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
    assert KEY not in json.dumps([client.notifications, client.requests])


def _is_private(state: Path) -> None:
    """Assert 0700 and 0600 below the directory of a workspace."""
    for path in state.glob("workspaces/*/**/*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
