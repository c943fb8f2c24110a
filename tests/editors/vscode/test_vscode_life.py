"""Servers that are killed and windows that are reloaded, in VS Code: effects happen once."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest
from tests.editors.vscode.code_server import wait_until
from tests.editors.vscode.rig import VsCode, server_of, servers
from tests.support.model_replies import by_turn, calls_reply, hang_reply, text_reply
from tests.support.scene import Scene, scene_at

from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.vscode]

ONE_EFFECT: JsonObject = {"command": "echo start >> effect.txt; sleep 300"}
INTERRUPTED = by_turn(calls_reply(("bash", ONE_EFFECT)), text_reply("It goes on."))
STEPS = 10


def test_a_killed_server_is_started_again_and_goes_on(vs_code: VsCode, tmp_path: Path) -> None:
    with scene_at(tmp_path, INTERRUPTED) as scene, vs_code.window(scene) as window:
        window.prompt("Do it")
        wait_until(lambda: scene.text("effect.txt") == "start\n", "the effect")
        os.kill(server_of(scene), signal.SIGKILL)
        window.toast("was killed by SIGKILL. It is started again.").wait_for()
        window.until_transcript("> It goes on.")
        window.until_status("Perdure: idle")
        _assert_finished_once(scene)


def test_a_server_that_keeps_dying_is_left_alone(vs_code: VsCode, tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("Hello.")]) as scene, vs_code.window(scene) as window:
        for _ in range(5):
            window.until_status("Perdure: ready")
            os.kill(server_of(scene), signal.SIGKILL)
            window.until_status("Perdure: st")
        window.toast("stays down").wait_for()
        assert servers(scene) == []
        window.run("Perdure: Restart Server")
        window.prompt("Say hello")
        window.until_transcript("> Hello.")


@pytest.mark.hazard("Any server exit: one message with the last stderr line")
def test_a_server_that_cannot_start_is_told_once(vs_code: VsCode, tmp_path: Path) -> None:
    starts = tmp_path / "starts.txt"
    fails = ["sh", "-c", f"echo x >> {starts}; echo no such module >&2; exit 3"]
    with (
        scene_at(tmp_path, [text_reply("Hello.")]) as scene,
        vs_code.window(scene, command=fails) as window,
    ):
        window.until_status("Perdure: stopped")
        window.toast("ended with code 3. Its last words: no such module").wait_for()
        assert window.toast("").count() == 1
        assert starts.read_text() == "x\n"


@pytest.mark.hazard("Reload the window ten times at random moments")
def test_reloads_at_random_moments_repeat_no_effect(vs_code: VsCode, tmp_path: Path) -> None:
    steps = [
        calls_reply(("bash", {"command": f"echo {number} >> effects.txt; sleep 0.5"}))
        for number in range(STEPS)
    ]
    chance = random.Random(7)
    with scene_at(tmp_path, by_turn(*steps, text_reply("It is done."))) as scene:
        with vs_code.window(scene) as window:
            window.prompt("Ten steps")
            for turn in range(5):
                _until_answers(scene, 2 * turn + 1)
                window.page.wait_for_timeout(chance.uniform(0, 600))
                window.reload()
            window.run("Perdure: Show Transcript")
            wait_until(lambda: scene.names()[-1] == "operationFinished:completed", "the end")
        effects = scene.text("effects.txt").split()
        assert effects == sorted(set(effects), key=int)
        assert len(effects) >= len(scene.named("tool:success"))
        assert len(scene.named("assistant")) == STEPS + 1


def _until_answers(scene: Scene, count: int) -> None:
    def given() -> bool:
        return scene.session_files() != [] and len(scene.named("assistant")) >= count

    wait_until(given, f"answer {count}")


def test_a_blocked_run_is_aborted_by_its_quick_fix(vs_code: VsCode, tmp_path: Path) -> None:
    other: JsonObject = {"model": {"name": "other-model"}}
    with scene_at(tmp_path, [hang_reply(), text_reply("never")]) as scene:
        with vs_code.window(scene) as window:
            window.prompt("Do it")
            wait_until(lambda: scene.model.count == 1, "the request")
        with vs_code.window(scene, settings=other) as window:
            window.until_status("Perdure: blocked")
            window.run("Perdure: Show Transcript")
            window.until_transcript("> Do it")
            window.fix_problem("model: test-model → other-model", "Abort the operation")
            window.until_status("Perdure: idle")
            assert scene.names()[-1] == "operationFinished:aborted"
            wait_until(lambda: window.problems() == 0, "no problem any more")
        assert scene.model.count == 1


def test_the_second_window_names_the_holder_and_takes_over(vs_code: VsCode, tmp_path: Path) -> None:
    with scene_at(tmp_path, INTERRUPTED) as scene, vs_code.window(scene) as first:
        first.prompt("Do it")
        wait_until(lambda: scene.text("effect.txt") == "start\n", "the effect")
        holder = server_of(scene)
        second = first.another()
        second.toast(f"{holder}").wait_for()
        assert scene.model.count == 1
        second.run("Perdure: Take Over Session")
        second.until_status("Perdure: idle")
        first.until_status("Perdure: unavailable")
        _assert_finished_once(scene)


def _assert_finished_once(scene: Scene) -> None:
    assert scene.text("effect.txt") == "start\n"
    assert scene.names()[-1] == "operationFinished:completed"
    assert scene.model.count == 2
