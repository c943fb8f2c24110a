"""A run in VS Code: prompt, streamed answer, approval, edited file, as the user has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.editors.vscode.code_server import wait_until
from tests.editors.vscode.rig import VsCode
from tests.support.model_replies import (
    by_turn,
    calls_reply,
    hang_reply,
    slow_reply,
    text_reply,
)
from tests.support.scene import Scene, scene_at

from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.vscode]

ASK: JsonObject = {"approval": {"bash": "ask", "write": "ask", "edit": "ask"}}
WRITES = by_turn(
    calls_reply(("write", {"path": "note.txt", "content": "written by the model\n"})),
    text_reply("It is done."),
)


def test_an_answer_streams_until_it_is_aborted(vs_code: VsCode, tmp_path: Path) -> None:
    reply = text_reply("Half of it, and the rest", pieces=2)
    with (
        scene_at(tmp_path, [hang_reply(reply, after=1)]) as scene,
        vs_code.window(scene) as window,
    ):
        assert not window.offers("Perdure: Abort Run")
        window.prompt("Say something")
        window.until_transcript("> Half of it,")
        window.run("Perdure: Abort Run")
        wait_until(lambda: scene.names()[-1] == "operationFinished:aborted", "the abort")
        wait_until(lambda: "(streaming)" not in window.transcript(), "the end of the stream")
        window.until_transcript("> Say something")
        assert not window.offers("Perdure: Abort Run")


def test_a_write_is_approved_on_its_diff(vs_code: VsCode, tmp_path: Path) -> None:
    with scene_at(tmp_path, WRITES) as scene:
        (scene.folder / "note.txt").write_text("an old note\n")
        with vs_code.window(scene, settings=ASK) as window:
            window.prompt("Write the note")
            wait_until(lambda: "an old note" in window.diff()[0], "what it was")
            wait_until(lambda: "written by the model" in window.diff()[1], "what it will be")
            assert scene.text("note.txt") == "an old note\n"
            window.press_in_toast("note.txt", "Allow")
            window.until_transcript("> It is done.")
            assert scene.text("note.txt") == "written by the model\n"
            window.open_file("note.txt")
            wait_until(lambda: "written by the model" in window.file("note.txt"), "the new text")


def test_a_closed_approval_is_not_decided(vs_code: VsCode, tmp_path: Path) -> None:
    call = calls_reply(("bash", {"command": "echo ran >> note.txt"}))
    with (
        scene_at(tmp_path, by_turn(call, text_reply("It is done."))) as scene,
        vs_code.window(scene, settings=ASK) as window,
    ):
        window.prompt("Run it")
        window.close_toast("echo ran >> note.txt")
        window.run("Perdure: Deny")
        window.until_transcript("> It is done.")
        assert scene.text("note.txt") == ""
        assert "The user refused this call" in scene.tool_results()[0]


def test_who_reads_further_up_is_left_there(vs_code: VsCode, tmp_path: Path) -> None:
    long = text_reply("\n\n".join(f"Line {n}" for n in range(200)), pieces=1)
    more = slow_reply(text_reply("and more " * 200, pieces=40), seconds=0.1)
    replies = [long, more, text_reply("The end.")]
    with scene_at(tmp_path, replies) as scene, vs_code.window(scene) as window:
        window.prompt("Say much")
        window.until_transcript("*Completed in")
        window.press_in_transcript("Control+Home")
        window.until_transcript("> Line 0")
        window.prompt("Say more")
        _until_completed(scene, 2)
        assert "> Line 0" in window.transcript()
        window.press_in_transcript("Control+End")
        window.until_transcript("and more")
        window.prompt("Say the end")
        window.until_transcript("> The end.")


def _until_completed(scene: Scene, count: int) -> None:
    done = "operationFinished:completed"
    wait_until(lambda: scene.names().count(done) == count, f"{count} completed runs")
