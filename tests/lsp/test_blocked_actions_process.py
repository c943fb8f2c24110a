"""A blocked run in the editor: what changed, and going on as it was recorded."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from tests.support.blocked import assert_blocked
from tests.support.model_replies import hang_reply, text_reply
from tests.support.scene import scene_at, wait_state

from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

OTHER_MODEL: JsonObject = {"model": {"name": "other-model"}}
SHOWS_DOCUMENTS: JsonObject = {"window": {"showDocument": {"support": True}}}


@pytest.mark.requirement(48, 49)
async def test_what_changed_is_shown_and_the_recorded_run_is_finished(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("done")]) as scene:
        (scene.folder / "AGENTS.md").write_text("Whistle.\n")
        async with scene.server() as client:
            await client.command("prompt", text="go")
            scene.model.wait_for_requests(1)
            client.kill()
        (scene.folder / "AGENTS.md").write_text("Sing.\n```\n")
        async with scene.server(settings=OTHER_MODEL, capabilities=SHOWS_DOCUMENTS) as client:
            client.on_request("window/showDocument", lambda _: {"success": True})
            await assert_blocked(
                scene, client, "configuration_changed", "test-model", "other-model"
            )
            result = await client.command("showChanged")
            assert result["shown"]
            text = _text(result["uri"])
            assert "- recorded: `test-model`\n- current: `other-model`" in text
            assert "## `system prompt: AGENTS.md`" in text
            assert "````diff\n" in text
            assert "-Whistle.\n+Sing.\n+```\n````" in text
            assert (await client.command("resumeRecorded"))["outcome"] == "resumed"
            await wait_state(client, "idle")
        assert scene.names()[-1] == "operationFinished:completed"
        first, second = (request.body for request in scene.model.requests)
        assert first == second


def _text(uri: str) -> str:
    return Path(unquote(urlsplit(uri).path)).read_text()
