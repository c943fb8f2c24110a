"""The full diff of an approval: who closes it refuses; who loses it has decided nothing."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.editors.neovim.nvim import Nvim, neovim
from tests.editors.neovim.runs import ASK, WRITES
from tests.support.scene import Scene, scene_at

pytestmark = pytest.mark.process

CLOSED = "The user closed the diff without a decision."
PAGES = "return vim.fn.tabpagenr('$')"


def _show_diff(nvim: Nvim) -> None:
    nvim.command("Perdure approve")
    nvim.keys("gd")
    nvim.until(lambda: nvim.lua("return vim.wo.diff"))


def _prompt_and_show_diff(nvim: Nvim) -> None:
    nvim.command("Perdure prompt Write the note")
    nvim.until(lambda: nvim.events("PerdureApproval"))
    _show_diff(nvim)


def _assert_undecided(scene: Scene) -> None:
    assert scene.tool_results() == []
    assert scene.text("note.txt") == "an old note\n"


@pytest.mark.parametrize("keys", ["q", ":q<CR>", "<C-w>h:close<CR>", ":tabclose<CR>"])
def test_closing_it_denies(tmp_path: Path, keys: str) -> None:
    with scene_at(tmp_path, WRITES) as scene, neovim(scene, settings=ASK) as nvim:
        _prompt_and_show_diff(nvim)
        nvim.keys(keys)
        nvim.until_text("> It is done.")
        assert CLOSED in scene.tool_results()[0]
        assert scene.text("note.txt") == "an old note\n"
        assert nvim.lua(PAGES) == 1
        assert nvim.notes().count("Perdure: write: note.txt is denied: its diff was closed") == 1


def test_going_back_decides_nothing(tmp_path: Path) -> None:
    with scene_at(tmp_path, WRITES) as scene, neovim(scene, settings=ASK) as nvim:
        _prompt_and_show_diff(nvim)
        nvim.keys("gd")
        nvim.until(lambda: nvim.lua(PAGES) == 1)
        assert nvim.state() == "waitingForApproval"
        _assert_undecided(scene)
        nvim.keys("gd")
        nvim.until(lambda: nvim.lua("return vim.wo.diff"))
        nvim.keys("a")
        nvim.until_text("> It is done.")
        assert scene.text("note.txt") == "written by the model\n"


@pytest.mark.hazard('A null answer to an approval means "not decided", never "deny"')
def test_leaving_neovim_decides_nothing(tmp_path: Path) -> None:
    with scene_at(tmp_path, WRITES) as scene:
        with neovim(scene, settings=ASK) as nvim:
            _prompt_and_show_diff(nvim)
            before = scene.digest()
            nvim.quit()
        assert scene.digest() == before
        with neovim(scene, settings=ASK) as nvim:
            nvim.until(lambda: nvim.events("PerdureApproval"))
            _assert_undecided(scene)
            _show_diff(nvim)
            nvim.keys("a")
            nvim.until(lambda: nvim.state() == "idle")
        assert scene.text("note.txt") == "written by the model\n"


def test_losing_the_server_decides_nothing(tmp_path: Path) -> None:
    with scene_at(tmp_path, WRITES) as scene, neovim(scene, settings=ASK) as nvim:
        _prompt_and_show_diff(nvim)
        os.kill(nvim.server_pid(), signal.SIGKILL)
        nvim.until(lambda: len(nvim.events("PerdureApproval")) == 2)
        assert nvim.lua(PAGES) == 1
        _show_diff(nvim)
        _assert_undecided(scene)
        nvim.keys("a")
        nvim.until_text("> It is done.")
        assert scene.text("note.txt") == "written by the model\n"
