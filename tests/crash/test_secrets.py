"""The provider's key goes to the provider and nowhere else."""

from __future__ import annotations

import json
import os
import secrets
import sys
from pathlib import Path

import pytest
from tests.support.lsp_client import SERVE
from tests.support.model_replies import calls_reply, error_reply, text_reply
from tests.support.scene import Scene, scene_at

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


def _is_nowhere(scene: Scene, client: LspClient) -> None:
    for path in scene.home.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
    assert KEY not in json.dumps([client.notifications, client.requests])


def _is_private(state: Path) -> None:
    """Assert 0700 and 0600 below the directory of a workspace."""
    for path in state.glob("workspaces/*/**/*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
