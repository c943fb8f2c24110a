"""Parts of the plugin inside Neovim: options, completion, sessions, changes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.editors.neovim.nvim import Nvim, neovim
from tests.editors.neovim.runs import WRITES
from tests.support.scene import scene_at


@pytest.mark.process
def test_parts(tmp_path: Path) -> None:
    with scene_at(tmp_path, []) as scene, neovim(scene) as nvim:
        _check_options(nvim)
        _check_completion(nvim)
        _check_fold_levels(nvim)
        _check_rows_of_messages(nvim)
        _check_finding_the_server(nvim, tmp_path)


def _check_options(nvim: Nvim) -> None:
    for options, problems in (
        ({"settings": {"model": {"name": "x"}}}, []),
        ({"comand": []}, ["perdure.comand: unknown option"]),
        ({"command": "perdure"}, ["perdure.command: expected table, got string"]),
        ({"command": ["a", 1]}, ["perdure.command[2]: expected string, got number"]),
        ({"restart": {"delay": "1"}}, ["perdure.restart.delay: expected number, got string"]),
    ):
        found = nvim.lua("return require('perdure.config').problems(...)", options)
        assert found == problems
    refused = nvim.lua("return { pcall(require('perdure').setup, { transcript = { open = 1 } }) }")
    assert refused == [False, "perdure.transcript.open: expected boolean, got number"]


def _check_completion(nvim: Nvim) -> None:
    def complete(line: str) -> Any:  # noqa: ANN401
        return nvim.lua("return vim.fn.getcompletion(..., 'cmdline')", line)

    assert complete("Perdure ab") == ["abort"]
    assert set(complete("Perdure ")) >= {"prompt", "resume", "sessions", "changes", "undo"}
    assert complete("Perdure prompt x") == []


def _check_fold_levels(nvim: Nvim) -> None:
    lines = ["a", "<details>x", "```text", "</details>", "```", "</details>", "b"]
    levels = nvim.lua("return require('perdure.transcript_buffer').fold_levels(...)", lines)
    assert levels == [0, ">1", 1, 1, 1, "<1", 0]


def _check_rows_of_messages(nvim: Nvim) -> None:
    nvim.command("set columns=80")
    for text, rows in (("", 1), ("x" * 68, 1), ("x" * 69, 2), ("x\nx", 2), ("界" * 40, 2)):
        assert nvim.lua("return require('perdure.room').rows(...)", text) == rows


def _check_finding_the_server(nvim: Nvim, home: Path) -> None:
    program = home / "bin" / "perdure"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    find = "return { require('perdure.server').find() }"
    assert nvim.lua(find) == [[sys.executable, "-m", "perdure", "serve"], "configured"]
    nvim.lua("vim.g.perdure = {}")
    nvim.lua("vim.env.PATH = ...", str(program.parent))
    assert nvim.lua(find) == [[str(program), "serve"], "on PATH"]
    nvim.lua("vim.env.PATH = ''")
    assert nvim.lua(find) == []
    made = Path(nvim.lua("return vim.fn.stdpath('data')")) / "perdure" / "venv" / "bin" / "perdure"
    made.parent.mkdir(parents=True)
    program.rename(made)
    assert nvim.lua(find) == [[str(made), "serve"], "made by :Perdure install"]
    nvim.command("checkhealth perdure")
    assert any("made by :Perdure install" in line for line in nvim.lines("health"))


@pytest.mark.process
def test_changes_undo_and_sessions(tmp_path: Path) -> None:
    with scene_at(tmp_path, WRITES) as scene, neovim(scene) as nvim:
        nvim.command("Perdure prompt Write the note")
        nvim.until_text("*Completed in ")
        nvim.until(lambda: nvim.lines("note.txt$") == ["written by the model"])
        nvim.command("Perdure changes")
        nvim.until(lambda: "+written by the model" in _current_lines(nvim))
        nvim.command("close")
        nvim.command("Perdure undo")
        nvim.until(lambda: "Perdure: undone: note.txt restored" in nvim.notes())
        nvim.until(lambda: nvim.lines("note.txt$") == ["an old note"])
        nvim.command("Perdure undo")
        already = "Perdure: nothing to undo: note.txt was so already"
        nvim.until(lambda: already in nvim.notes())
        nvim.command("Perdure log")
        nvim.until(lambda: nvim.lines(r"%.jsonl$"))
        nvim.command("Perdure new")
        nvim.until(lambda: len(scene.session_files()) == 2)
        nvim.until(lambda: scene.session_files()[1].stem.rpartition("_")[2] in _shown(nvim)[-1])
        assert sum(name.startswith("perdure:/") for name in _shown(nvim)) == 1
        nvim.command("Perdure sessions")
        nvim.until(lambda: _current_lines(nvim)[:1] != [""])
        nvim.command("Perdure status")
        nvim.until(lambda: any("Perdure: idle · " in note for note in nvim.notes()))


def _shown(nvim: Nvim) -> list[str]:
    """The names of what the windows show."""
    names: list[str] = nvim.lua(
        "return vim.tbl_map(function(window)"
        " return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window))"
        " end, vim.api.nvim_list_wins())"
    )
    return names


def _current_lines(nvim: Nvim) -> list[str]:
    lines: list[str] = nvim.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)")
    return lines
