"""Neovim 0.10 is in no registry: what 0.11 added is taken away from 0.11, and the plugin works."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.editors.neovim.nvim import neovim
from tests.editors.neovim.runs import ASK, WRITES
from tests.support.scene import scene_at

pytestmark = pytest.mark.process

LIKE_0_10 = """
local has, start_client, start = vim.fn.has, vim.lsp.start_client, vim.lsp.start
vim.fn.has = function(feature)
  return feature == 'nvim-0.11' and 0 or has(feature)
end
vim.lsp.config, vim.lsp.enable = nil, nil
vim.lsp.start = function(config, options)
  assert(not options or options.attach == nil, 'attach is of 0.11')
  return start(config, options)
end
vim.lsp.start_client = function(config)
  assert(type(config.root_dir) == 'string', 'a function as root_dir is of 0.11')
  local cmd = config.cmd
  config.cmd = function(dispatchers)
    return cmd(dispatchers)
  end
  return start_client(config)
end
vim.deprecate = function() end
"""
SHOWN = "return vim.diagnostic.config(nil, vim.lsp.diagnostic.get_namespace(...)).virtual_text"


def test_a_run_with_approval_and_killed_server(tmp_path: Path) -> None:
    with (
        scene_at(tmp_path, WRITES) as scene,
        neovim(scene, settings=ASK, start=LIKE_0_10) as nvim,
    ):
        nvim.command("Perdure prompt Write the note")
        nvim.until(lambda: nvim.events("PerdureApproval"))
        os.kill(nvim.server_pid(), signal.SIGKILL)
        nvim.until(lambda: len(nvim.events("PerdureApproval")) == 2)
        client = nvim.lua("return vim.lsp.get_clients({ name = 'perdure' })[1].id")
        assert nvim.lua(SHOWN, client) is True
        nvim.command("Perdure approve")
        nvim.keys("a")
        nvim.until_text("> It is done.")
        nvim.until(lambda: nvim.lines("note.txt$") == ["written by the model"])
