"""A write that was interrupted is told on its file, with what can be done about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.model_replies import by_turn, calls_reply, text_reply
from tests.support.scene import Scene, scene_at, wait_state

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

WRITE = calls_reply(("write", {"path": "a.txt", "content": "new\n"}))
NEVER: JsonObject = {"resume": "never"}
OTHER_MODEL: JsonObject = {"resume": "never", "model": {"name": "other-model"}}


async def _interrupted_write(scene: Scene) -> None:
    """Leave a log that ends with the intent of a write, beside its note and the written file."""
    async with scene.server() as client:
        await scene.talk(client, "go")
        assert await client.shutdown() == 0
    scene.cut_after("toolStarted")


async def _on_file(client: LspClient, uri: str) -> Any:  # noqa: ANN401
    shown = await client.until(
        "textDocument/publishDiagnostics", lambda p: p["uri"] == uri and p["diagnostics"]
    )
    (diagnostic,) = shown["diagnostics"]
    actions = await client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": uri},
            "range": diagnostic["range"],
            "context": {"diagnostics": [diagnostic]},
        },
    )
    return diagnostic, [action["command"]["command"] for action in actions]


@pytest.mark.parametrize(
    ("settings", "content", "code", "words"),
    [
        (NEVER, "new\n", "interrupted", "has the new content"),
        (NEVER, "mine\n", "interrupted", "neither as before nor as after"),
        (OTHER_MODEL, "new\n", "configuration_changed", "has the new content"),
    ],
)
async def test_the_file_says_what_is_known_until_the_state_goes(
    tmp_path: Path, settings: JsonObject, content: str, code: str, words: str
) -> None:
    with scene_at(tmp_path, by_turn(WRITE, text_reply("done"))) as scene:
        await _interrupted_write(scene)
        file = scene.folder / "a.txt"
        file.write_text(content)
        async with scene.server(settings=settings) as client:
            await wait_state(client, "blocked", "suspended")
            diagnostic, commands = await _on_file(client, file.as_uri())
            assert (diagnostic["source"], diagnostic["code"]) == ("perdure", code)
            assert words in diagnostic["message"]
            assert {"perdure.resume", "perdure.abort"} <= set(commands)
            assert ("perdure.resumeRecorded" in commands) == (code == "configuration_changed")
            await client.command("abort")
            await client.until(
                "textDocument/publishDiagnostics",
                lambda p: p["uri"] == file.as_uri() and not p["diagnostics"],
            )
