"""What the plugin tells others, and what it leaves alone: progress, events, buffers, load."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.editors.neovim.nvim import Nvim, neovim
from tests.editors.neovim.runs import ASK, WRITES
from tests.support.model_replies import hang_reply, slow_reply, text_reply
from tests.support.scene import scene_at

pytestmark = pytest.mark.process

CHUNKS = 5000
SECONDS = 5
UPDATES_PER_SECOND = 20


def test_events_of_a_run_in_their_order(tmp_path: Path) -> None:
    with scene_at(tmp_path, WRITES) as scene, neovim(scene, settings=ASK) as nvim:
        nvim.command("Perdure prompt Write the note")
        nvim.until(lambda: nvim.events("PerdureApproval"))
        nvim.command("Perdure approve")
        nvim.keys("a")
        nvim.until(lambda: nvim.state() == "idle")
        nvim.until(lambda: nvim.events("PerdureRunFinished"))
        told = [event["name"] for event in nvim.lua("return _G.events")]
        assert [name for name in told if name not in ("PerdureStatus", "LspProgress")] == [
            "PerdureRunStarted",
            "PerdureApproval",
            "PerdureFileEdited",
            "PerdureRunFinished",
        ]
        assert nvim.events("PerdureFileEdited") == [{"path": str(scene.folder / "note.txt")}]
        assert nvim.notes() == ["Perdure: allow write: note.txt? (:Perdure approve)"]


def test_progress_can_be_followed_and_cancelled(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply()]) as scene, neovim(scene) as nvim:
        nvim.command("Perdure prompt Do it")
        nvim.until(lambda: _kinds(nvim)[:1] == ["begin"])
        nvim.lua(
            """local client = vim.lsp.get_clients({ name = 'perdure' })[1]
            client:notify('window/workDoneProgress/cancel', { token = ... })""",
            nvim.events("LspProgress")[0]["token"],
        )
        nvim.until(lambda: _kinds(nvim)[-1:] == ["end"])
        nvim.until(lambda: nvim.events("PerdureRunFinished"))
        assert nvim.events("PerdureRunFinished")[0]["outcome"] == "aborted"


def _kinds(nvim: Nvim) -> list[str]:
    return [event["value"]["kind"] for event in nvim.events("LspProgress")]


def test_only_the_file_that_a_tool_wrote_is_read_again(tmp_path: Path) -> None:
    with scene_at(tmp_path, WRITES) as scene:
        other = scene.folder / "other.txt"
        other.write_text("as it was\n")
        with neovim(scene) as nvim:
            nvim.command("edit other.txt")
            nvim.command("buffer note.txt")
            other.write_text("changed by somebody else, and longer\n")
            nvim.command("Perdure prompt Write the note")
            nvim.until(lambda: nvim.lines("note.txt$") == ["written by the model"])
            nvim.until(lambda: nvim.state() == "idle")
            assert nvim.lines("other.txt$") == ["as it was"]


@pytest.mark.hazard("5000 chunks in 5 s: the editor stays responsive")
def test_a_flood_of_text_is_drawn_in_batches(tmp_path: Path) -> None:
    text = "".join(f"{number:5}\n" for number in range(CHUNKS))
    flood = slow_reply(text_reply(text, pieces=CHUNKS), seconds=SECONDS / CHUNKS)
    changes = "return vim.b[vim.fn.bufnr('^perdure:/')].changedtick"
    with scene_at(tmp_path, [flood]) as scene, neovim(scene) as nvim:
        nvim.command("Perdure prompt Count")
        nvim.until_text("(streaming)")
        before, since, answered = nvim.lua(changes), time.monotonic(), 0
        while nvim.state() == "running":
            answered += 1
            time.sleep(0.02)
        drawn = nvim.lua(changes) - before
        nvim.until_text(f"> {CHUNKS - 1:5}\n")
        assert drawn <= (time.monotonic() - since) * UPDATES_PER_SECOND + 5
        assert answered > SECONDS
