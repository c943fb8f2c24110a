"""The extension in a VS Code of another language."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.editors.vscode.rig import VsCode
from tests.support.model_replies import by_turn, calls_reply, text_reply
from tests.support.scene import scene_at

from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.vscode]

ASK: JsonObject = {"approval": {"bash": "ask"}}


def test_messages_are_in_the_language_of_the_window(vs_code: VsCode, tmp_path: Path) -> None:
    call = calls_reply(("bash", {"command": "echo ran >> note.txt"}))
    with (
        scene_at(tmp_path, by_turn(call, text_reply("It is done."))) as scene,
        vs_code.window(scene, settings=ASK, language="zh-tw") as window,
    ):
        window.until_status("Perdure: 就緒")
        window.page.get_by_role("tab", name="Perdure").click()
        window.prompt("Run it")
        window.toast("是否允許 bash: echo ran").wait_for()
        window.screenshot("language")
        window.press_in_toast("是否允許", "允許")
        window.until_status("Perdure: 閒置")
        assert scene.text("note.txt") == "ran\n"
