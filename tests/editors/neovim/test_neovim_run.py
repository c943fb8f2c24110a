"""A run in Neovim: prompt, streamed answer, approval, edited file, as the user has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.editors.neovim.nvim import ENABLE, neovim
from tests.editors.neovim.runs import ASK, WRITES
from tests.support.model_replies import by_turn, calls_reply, hang_reply, text_reply
from tests.support.scene import scene_at

from perdure.core.user_content import with_context

pytestmark = pytest.mark.process

FLOATING = """
for _, window in ipairs(vim.api.nvim_list_wins()) do
  if vim.api.nvim_win_get_config(window).relative ~= '' then
    local buffer = vim.api.nvim_win_get_buf(window)
    return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\\n')
  end
end
return ''
"""


def test_a_prompt_is_answered_in_the_transcript(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("Hello from the model.")]) as scene, neovim(scene) as nvim:
        nvim.command("Perdure prompt Say hello")
        nvim.until_text("> Hello from the model.\n\n*Completed in ")
        assert "> Say hello" in nvim.transcript()
        assert "(streaming)" not in nvim.transcript()
        assert [event["outcome"] for event in nvim.events("PerdureRunFinished")] == ["completed"]
        assert len(nvim.events("PerdureRunStarted")) == 1


SENT = """
_G.sent = {}
local start = vim.lsp.rpc.start
vim.lsp.rpc.start = function(...)
  local rpc = start(...)
  for _, name in ipairs({ 'request', 'notify' }) do
    local send = rpc[name]
    rpc[name] = function(method, ...)
      table.insert(_G.sent, method)
      return send(method, ...)
    end
  end
  return rpc
end
vim.schedule(function()
  vim.cmd('Perdure prompt go')
end)
"""


def test_nothing_is_asked_of_a_server_that_still_starts(tmp_path: Path) -> None:
    with (
        scene_at(tmp_path, [text_reply("Here.")]) as scene,
        neovim(scene, start=f"{SENT}\n{ENABLE}") as nvim,
    ):
        nvim.until_text("> Here.")
        sent = nvim.lua("return _G.sent")
        assert sent[:2] == ["initialize", "initialized"]
        assert "workspace/executeCommand" in sent


def test_text_is_shown_while_it_streams(tmp_path: Path) -> None:
    reply = text_reply("Half of it, and the rest", pieces=2)
    with scene_at(tmp_path, [hang_reply(reply, after=1)]) as scene, neovim(scene) as nvim:
        nvim.command("Perdure prompt go")
        nvim.until_text("**Answer** (streaming)\n\n> Half of it,")
        nvim.command("Perdure abort")
        nvim.until(lambda: nvim.state() == "idle")
        nvim.until(lambda: "(streaming)" not in nvim.transcript())


def test_an_approved_write_is_in_the_buffer(tmp_path: Path) -> None:
    with scene_at(tmp_path, WRITES) as scene, neovim(scene, settings=ASK) as nvim:
        nvim.command("Perdure prompt Write the note")
        nvim.until(lambda: nvim.events("PerdureApproval"))
        assert len([note for note in nvim.notes() if "Perdure: allow " in note]) == 1
        nvim.command("Perdure approve")
        shown = nvim.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)")
        assert "+written by the model" in shown
        assert scene.text("note.txt") == "an old note\n"
        nvim.keys("gd")
        nvim.until(lambda: nvim.lua("return vim.wo.diff"))
        nvim.keys("a")
        nvim.until_text("> It is done.")
        nvim.until(lambda: nvim.lines("note.txt$") == ["written by the model"])
        assert nvim.lua("return vim.fn.tabpagenr('$')") == 1
        (edited,) = nvim.events("PerdureFileEdited")
        assert edited["path"] == str(scene.folder / "note.txt")


def test_a_closed_approval_is_not_decided(tmp_path: Path) -> None:
    with scene_at(tmp_path, WRITES) as scene, neovim(scene, settings=ASK) as nvim:
        nvim.command("Perdure prompt Write the note")
        nvim.until(lambda: nvim.events("PerdureApproval"))
        nvim.command("Perdure approve")
        nvim.command("close")
        nvim.command("Perdure approve")
        nvim.keys("d")
        nvim.keys("not now<CR>")
        nvim.until_text("> It is done.")
        assert scene.text("note.txt") == "an old note\n"
        assert "not now" in scene.tool_results()[0]


def test_a_command_is_allowed_for_the_session(tmp_path: Path) -> None:
    call = calls_reply(("bash", {"command": "echo ran >> note.txt"}))
    replies = by_turn(call, call, text_reply("It is done."))
    with scene_at(tmp_path, replies) as scene, neovim(scene, settings=ASK) as nvim:
        nvim.command("Perdure prompt Run it twice")
        nvim.until(lambda: nvim.events("PerdureApproval"))
        nvim.command("Perdure approve")
        shown = nvim.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)")
        assert shown[-5:-2] == ["```sh", "echo ran >> note.txt", "```"]
        assert shown[-1] == f"In {scene.folder}"
        nvim.keys("s")
        nvim.until_text("> It is done.\n\n*Completed in ")
        assert len(nvim.events("PerdureApproval")) == 1
        nvim.until(lambda: nvim.lines("note.txt$") == ["an old note", "ran", "ran"])


def test_keys_of_the_transcript(tmp_path: Path) -> None:
    replies = by_turn(calls_reply(("bash", {"command": "seq 9"})), text_reply("It is done."))
    with scene_at(tmp_path, replies) as scene, neovim(scene) as nvim:
        nvim.command("Perdure prompt Count")
        nvim.until_text("*Completed in ")
        nvim.command("Perdure open")
        nvim.until(lambda: nvim.lua("return vim.bo.filetype") == "markdown")
        folded = "return vim.fn.foldtextresult(vim.fn.search('^<details>', 'n'))"
        nvim.until(lambda: nvim.lua(folded).startswith("▸ Output, 9 lines"))
        for keys in ("gg]]", "G[["):
            nvim.keys(keys)
            nvim.until(lambda: nvim.lua("return vim.fn.getline('.')").startswith("## 1. Prompt"))
        nvim.command(r"call search('^\*\*Tool')")
        nvim.keys("K")
        nvim.until(lambda: "bash" in nvim.lua(FLOATING))


def test_unsaved_text_is_never_touched(tmp_path: Path) -> None:
    replies = by_turn(
        calls_reply(("bash", {"command": "echo other > note.txt"})), text_reply("It is done.")
    )
    with scene_at(tmp_path, replies) as scene, neovim(scene) as nvim:
        nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'mine, unsaved' })")
        nvim.command("Perdure prompt go")
        nvim.until_text("*Completed in ")
        assert nvim.lines("note.txt$") == ["mine, unsaved"]
        assert nvim.lua("return vim.bo[vim.fn.bufnr('note.txt')].modified")


_REPORT = """
local found, line = ...
vim.diagnostic.set(vim.api.nvim_create_namespace('test' .. line), 0, found)
"""


def test_a_range_is_context_with_file_and_lines(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("I see.")]) as scene:
        (scene.folder / "note.txt").write_text("one\ntwo\nthree\n")
        with neovim(scene) as nvim:
            for line in (0, 2):
                found = {"lnum": line, "col": 1, "severity": 2, "message": "too\nfar"}
                nvim.lua(_REPORT, [found | {"source": "test"}], line)
            nvim.command("2,3Perdure prompt Explain")
            nvim.until_text("> I see.")
        (user,) = scene.named("user")
        assert user["entry"]["message"]["content"] == with_context(
            "Explain",
            [
                "Selected in the editor, in `note.txt`, lines 2-3:\n\n```txt\ntwo\nthree\n```",
                "Problems that the editor reports in `note.txt`, lines 2-3:\n\n"
                "```\n3:2 warning: too far (test)\n```",
            ],
        )


def test_a_selection_is_context_by_its_mapping(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("I see.")]) as scene:
        (scene.folder / "note.txt").write_text("one\ntwo\nthree\n")
        with neovim(scene) as nvim:
            nvim.lua("vim.keymap.set('x', 'gp', '<Plug>(perdure-prompt)')")
            nvim.keys("ggVjgpExplain")
            assert "with note.txt 1-2" in nvim.lua("return vim.wo.winbar")
            nvim.keys("<C-s>")
            nvim.until_text("> I see.")
        (user,) = scene.named("user")
        assert user["entry"]["message"]["content"] == with_context(
            "Explain",
            ["Selected in the editor, in `note.txt`, lines 1-2:\n\n```txt\none\ntwo\n```"],
        )


def test_the_path_of_a_mention_is_completed(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("I see.")]) as scene:
        (scene.folder / "docs").mkdir()
        (scene.folder / "docs/plan.md").write_text("first this\n")
        root = str(scene.folder)
        with neovim(scene) as nvim:
            nvim.until(lambda: nvim.lua("return require('perdure.state').status(...)", root))
            nvim.command("Perdure prompt")
            nvim.keys("Do @do<C-x><C-o><C-y><C-x><C-o><C-y> now<C-s>")
            nvim.until_text("> I see.")
        (user,) = scene.named("user")
        block = "File `docs/plan.md`:\n\n```md\nfirst this\n```"
        assert user["entry"]["message"]["content"] == with_context("Do @docs/plan.md now", [block])


def test_text_in_the_input_window_stays_until_it_is_sent(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("Hello.")]) as scene, neovim(scene) as nvim:
        nvim.command("Perdure prompt")
        nvim.keys("Say<CR>hello<Esc>q")
        nvim.until(lambda: nvim.lua("return vim.fn.winnr('$')") == 1)
        nvim.command("Perdure prompt")
        nvim.keys("<Esc><CR>")
        nvim.until_text("> Say\n> hello")
        nvim.until_text("> Hello.")
