"""What Neovim reports of files reaches the model that asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.editors.neovim.nvim import neovim
from tests.support.model_replies import calls_reply, text_reply
from tests.support.scene import scene_at

pytestmark = pytest.mark.process

REPORTING = """
local space = vim.api.nvim_create_namespace('linter')
for name, line in pairs({ ['a b.py'] = 2, ['c.py'] = 0 }) do
  local buffer = vim.fn.bufadd(name)
  vim.fn.bufload(buffer)
  vim.diagnostic.set(space, buffer, {
    { lnum = line, col = 4, message = 'wrong\\nhere', severity = 2, source = 'lint', code = 'E1' },
    { lnum = 0, col = 0, message = 'bad' },
  })
end
"""


def test_the_model_is_told_what_is_reported(tmp_path: Path) -> None:
    replies = [
        text_reply("Ready."),
        calls_reply(("diagnostics", {"path": "a b.py"})),
        calls_reply(("diagnostics", {})),
        calls_reply(("diagnostics", {"path": "c.py"})),
        calls_reply(("diagnostics", {"path": "none.py"})),
        text_reply("That is all."),
    ]
    with scene_at(tmp_path, replies) as scene:
        for name in ("a b.py", "c.py", "none.py"):
            (scene.folder / name).write_text("one\ntwo\nthree, which is longer\n")
        with neovim(scene) as nvim:
            nvim.command("Perdure prompt Be ready")
            nvim.until_text("> Ready.")
            nvim.lua(REPORTING)
            nvim.command("Perdure prompt What is wrong?")
            nvim.until_text("> That is all.")
        ours = "a b.py:1:1: error: bad\na b.py:3:5: warning: wrong here (lint E1)"
        theirs = "c.py:1:1: error: bad\nc.py:1:5: warning: wrong here (lint E1)"
        assert scene.tool_results() == [
            ours,
            f"{ours}\n{theirs}",
            theirs,
            "The editor reports no problems for none.py.",
        ]
