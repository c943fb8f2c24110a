"""Servers and editors that are killed, in Neovim: the work goes on, and effects happen once."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.editors.neovim.nvim import Nvim, neovim, wait_until
from tests.support.model_replies import by_turn, calls_reply, hang_reply, text_reply
from tests.support.scene import Scene, is_alive, scene_at

from perdure.json_types import JsonObject

pytestmark = pytest.mark.process

ONE_EFFECT: JsonObject = {"command": "echo start >> effect.txt; sleep 300"}
INTERRUPTED = by_turn(calls_reply(("bash", ONE_EFFECT)), text_reply("It goes on."))


def _until_the_effect(scene: Scene, nvim: Nvim) -> None:
    nvim.command("Perdure prompt Do it")
    nvim.until(lambda: scene.text("effect.txt") == "start\n")
    nvim.until_text("> Do it")


def _assert_finished_once(scene: Scene) -> None:
    assert scene.text("effect.txt") == "start\n"
    assert scene.names()[-1] == "operationFinished:completed"
    assert scene.model.count == 2


@pytest.mark.hazard("Any server exit: one message with the last stderr line")
def test_a_killed_server_is_started_again_and_goes_on(tmp_path: Path) -> None:
    with scene_at(tmp_path, INTERRUPTED) as scene, neovim(scene) as nvim:
        _until_the_effect(scene, nvim)
        os.kill(nvim.server_pid(), signal.SIGKILL)
        nvim.until_text("> It goes on.")
        nvim.until(lambda: nvim.state() == "idle")
        _assert_finished_once(scene)
        (told,) = [note for note in nvim.notes() if "signal" in note]
        assert "was killed by signal 9; it is started again." in told
        assert "lsp.log" in told
        assert len([note for note in nvim.notes() if "Resumed: " in note]) == 1


def test_what_is_asked_of_a_killed_server_comes_back(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("Hello.")]) as scene, neovim(scene) as nvim:
        nvim.until(lambda: nvim.state() != "")
        os.kill(nvim.server_pid(), signal.SIGSTOP)
        nvim.command("Perdure prompt Say hello")
        os.kill(nvim.server_pid(), signal.SIGKILL)
        input_window = "return vim.api.nvim_buf_get_lines(0, 0, -1, true)"
        nvim.until(lambda: nvim.lua(input_window) == ["Say hello"])
        nvim.keys("<CR>")
        nvim.until_text("> Hello.")


def test_a_server_that_cannot_start_is_not_started_again(tmp_path: Path) -> None:
    fails = ["sh", "-c", "echo no such module >&2; exit 3"]
    with (
        scene_at(tmp_path, [text_reply("Hello.")]) as scene,
        neovim(scene, command=fails) as nvim,
    ):
        nvim.until(lambda: any("ended with code 3" in note for note in nvim.notes()))
        (told,) = [note for note in nvim.notes() if "ended with code 3" in note]
        assert ":checkhealth perdure" in told
        assert "It said: no such module." in told


def test_a_restart_by_hand_serves_the_same_buffers(tmp_path: Path) -> None:
    attached = "return #vim.lsp.get_clients({ bufnr = vim.fn.bufnr('note.txt'), name = 'perdure' })"
    with scene_at(tmp_path, [text_reply("Hello.")]) as scene, neovim(scene) as nvim:
        nvim.until(lambda: nvim.lua(attached) == 1)
        before = nvim.server_pid()
        nvim.command("Perdure restart")
        wait_until(lambda: not is_alive(before))
        nvim.command("Perdure prompt Say hello")
        nvim.until_text("> Hello.")
        nvim.until(lambda: nvim.lua(attached) == 1)
        assert not any("started again" in note for note in nvim.notes())


def test_a_killed_neovim_is_reopened_and_the_run_goes_on(tmp_path: Path) -> None:
    with scene_at(tmp_path, INTERRUPTED) as scene:
        with neovim(scene) as nvim:
            _until_the_effect(scene, nvim)
            server = nvim.server_pid()
            nvim.process.kill()
            nvim.process.wait()
        with neovim(scene) as nvim:
            nvim.until(lambda: any("Resumed: " in note for note in nvim.notes()))
            nvim.until(lambda: nvim.state() == "idle")
            nvim.command("Perdure open")
            nvim.until_text("> It goes on.")
        _assert_finished_once(scene)
        assert not is_alive(server)


def test_reopening_asks_where_the_setting_says_so(tmp_path: Path) -> None:
    with scene_at(tmp_path, INTERRUPTED) as scene:
        with neovim(scene) as nvim:
            _until_the_effect(scene, nvim)
        with neovim(scene, settings={"resume": "ask"}) as nvim:
            nvim.until(lambda: any(":Perdure approve for Resume" in note for note in nvim.notes()))
            assert nvim.state() == "suspended"
            nvim.command("Perdure approve")
            nvim.until(lambda: nvim.state() == "idle")
        _assert_finished_once(scene)


def test_quitting_in_a_run_leaves_the_log_as_sigkill_would(tmp_path: Path) -> None:
    with scene_at(tmp_path, INTERRUPTED) as scene:
        with neovim(scene) as nvim:
            _until_the_effect(scene, nvim)
            before, server = scene.digest(), nvim.server_pid()
            nvim.quit()
        wait_until(lambda: not is_alive(server))
        assert scene.digest() == before
        with neovim(scene) as nvim:
            nvim.until(lambda: nvim.state() == "idle")
        _assert_finished_once(scene)


def test_a_blocked_run_is_explained_in_place_and_aborted_there(tmp_path: Path) -> None:
    other: JsonObject = {"model": {"name": "other-model"}}
    with scene_at(tmp_path, [hang_reply(), text_reply("never")]) as scene:
        with neovim(scene) as nvim:
            nvim.command("Perdure prompt Do it")
            scene.model.wait_for_requests(1)
        with neovim(scene, settings=other) as nvim:
            nvim.until(lambda: nvim.events("PerdureBlocked"))
            assert nvim.events("PerdureBlocked")[0]["code"] == "configuration_changed"
            assert [note for note in nvim.notes() if "blocked" in note] == [
                "Perdure: blocked: configuration changed (:Perdure open)"
            ]
            nvim.command("Perdure open")
            nvim.until_text("recorded `test-model`, now `other-model`")
            nvim.until(lambda: "other-model" in _virtual_lines(nvim))
            nvim.command(r"call search('^\[Resume (')")
            nvim.keys("<CR>")
            nvim.until(lambda: any("configuration is not the one" in note for note in nvim.notes()))
            nvim.command(r"call search('^\[Abort')")
            nvim.keys("<CR>")
            nvim.until(lambda: nvim.state() == "idle")
            nvim.until(lambda: _virtual_lines(nvim) == "")
            nvim.until(lambda: "[Abort" not in nvim.transcript())
            assert not any("configuration_changed" in note for note in nvim.notes())
        assert scene.names()[-1] == "operationFinished:aborted"
        assert scene.model.count == 1


def _virtual_lines(nvim: Nvim) -> str:
    """All virtual lines of the transcript."""
    marks = nvim.lua(
        """local buffer = vim.fn.bufnr('^perdure:/')
        return vim.api.nvim_buf_get_extmarks(buffer, -1, 0, -1, { details = true })"""
    )
    lines = [line for mark in marks for line in mark[3].get("virt_lines", [])]
    return "\n".join("".join(chunk[0] for chunk in line) for line in lines)
