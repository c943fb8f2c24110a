"""What a user sees in a terminal: Neovim in tmux, typed into and looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from tests.editors.needed import need
from tests.editors.neovim.nvim import PLUGIN, neovim
from tests.editors.neovim.runs import ASK, WRITES
from tests.editors.neovim.terminal import SCREENS, scratch_home, terminal
from tests.support.model_replies import by_turn, calls_reply, hang_reply, text_reply
from tests.support.scene import scene_at

from perdure.json_types import JsonObject

pytestmark = pytest.mark.process


@pytest.fixture
def home() -> Iterator[Path]:
    need(which("tmux"), "tmux is not installed: apt-get install tmux")
    with scratch_home() as folder:
        yield folder


def test_a_run_from_prompt_to_changed_buffer(home: Path) -> None:
    with scene_at(home, WRITES) as scene, terminal(scene, ASK) as seen:
        seen.until("an old note")
        seen.type(":Perdure prompt", "Enter")
        seen.type("Write the note")
        seen.shows("prompt")
        seen.tmux("send-keys", "C-s")
        seen.until("Perdure: allow write: note.txt? (:Perdure approve)")
        seen.type(":Perdure approve", "Enter")
        seen.shows("approval")
        seen.type("gd")
        seen.shows("diff")
        seen.type("a")
        seen.until("perdure: idle")
        seen.shows("answer")
        seen.type(":Perdure sessions", "Enter")
        seen.shows("sessions")


def test_an_answer_that_streams_below_folded_output(home: Path) -> None:
    count = calls_reply(("bash", {"command": "seq 9"}))
    answer = text_reply("Nine lines were printed, and then it went on.", pieces=2)
    replies = by_turn(count, hang_reply(answer, after=1))
    with scene_at(home, replies) as scene, terminal(scene, {}) as seen:
        seen.until("an old note")
        seen.type(":Perdure prompt Count", "Enter")
        seen.until("Nine lines")
        seen.shows("streaming")


def test_a_run_that_is_blocked(home: Path) -> None:
    other: JsonObject = {"model": {"name": "other-model"}}
    with scene_at(home, [hang_reply()]) as scene:
        with neovim(scene) as nvim:
            nvim.command("Perdure prompt Do it")
            scene.model.wait_for_requests(1)
        with terminal(scene, other) as seen:
            seen.until("perdure: blocked")
            seen.type(":Perdure open", "Enter")
            seen.shows("blocked")


def test_the_readme_shows_a_real_screen() -> None:
    assert (SCREENS / "approval.txt").read_text() in (PLUGIN / "README.md").read_text()
