"""Neovim in a terminal of tmux, and screens of it that are kept as files.

A screen is compared exactly, once what differs from run to run is the same: ids, times, durations
and the name of the scratch folder. ``PERDURE_UPDATE_GOLDEN=1`` writes the files anew.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.editors.neovim.nvim import binary, environment, initial_file, wait_until
from tests.support.scene import Scene, laid_over

from perdure.json_types import JsonObject

SCREENS = Path(__file__).parent / "screens"
SECONDS = 60
COLUMNS, ROWS = 100, 30

_STATUS_LINE = """
vim.o.laststatus = 3
vim.o.ruler = false
vim.o.statusline = '%f %= %{v:lua.require("perdure").statusline()}'
"""
_SAME = (
    (
        re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
        "01900000-0000-7000-8000-000000000000",
    ),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d"), "2026-01-02 03:04"),
    (re.compile(r"03:04:\d\d"), "03:04:05"),
    (re.compile(r"\d+(\.\d+)? (ms|s)\b"), "1 s"),
    (re.compile(r"127\.0\.0\.1:\d{5}"), "127.0.0.1:11434"),
    (re.compile(r"perdure_\w{8}"), "perdure_00000000"),
)


class Terminal:
    """A terminal of ``COLUMNS`` and ``ROWS``."""

    def __init__(self, scene: Scene) -> None:
        self._environment = {**environment(scene), "TERM": "screen-256color", "LC_ALL": "C.UTF-8"}
        self._folder = scene.folder
        self._socket = scene.home / "tmux"

    def tmux(self, *arguments: str) -> str:
        """Run tmux and return what it prints."""
        return subprocess.run(
            ["tmux", "-S", str(self._socket), "-f", "/dev/null", *arguments],
            cwd=self._folder,
            env=self._environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    def type(self, text: str, *keys: str) -> None:
        """Type text, then named keys."""
        self.tmux("send-keys", "-l", text)
        if keys:
            self.tmux("send-keys", *keys)

    def screen(self) -> str:
        """What is to be seen."""
        lines = self.tmux("capture-pane", "-p").splitlines()
        return "\n".join(line.rstrip() for line in lines)

    def until(self, text: str) -> None:
        """Wait until a text is to be seen."""
        wait_until(lambda: text in self.screen(), tell=self.screen)

    def shows(self, name: str) -> None:
        """Wait until the screen is the one that is kept under a name."""
        path = SCREENS / f"{name}.txt"
        if os.environ.get("PERDURE_UPDATE_GOLDEN"):
            path.write_text(self._settled())
            return
        expected = path.read_text()
        deadline = time.monotonic() + SECONDS
        while (seen := same(self.screen())) != expected and time.monotonic() < deadline:
            time.sleep(0.05)
        assert seen == expected, f"{path} is another one: PERDURE_UPDATE_GOLDEN=1 writes it anew"

    def _settled(self) -> str:
        """The screen once it is the same for two seconds."""
        seen, since = "", time.monotonic()
        while time.monotonic() < since + 2:
            now = same(self.screen())
            if now != seen:
                seen, since = now, time.monotonic()
            time.sleep(0.05)
        return seen


def same(screen: str) -> str:
    """Put one value in the place of all that differ from run to run; widths stay."""
    for pattern, value in _SAME:
        screen = pattern.sub(value, screen)
    return screen + "\n"


@contextmanager
def scratch_home() -> Iterator[Path]:
    """A folder whose name is always as long: names are shown, and lines wrap."""
    with TemporaryDirectory(prefix="perdure_", dir="/tmp", ignore_cleanup_errors=True) as home:
        yield Path(home)


@contextmanager
def terminal(scene: Scene, settings: JsonObject) -> Iterator[Terminal]:
    """Start Neovim on ``note.txt`` in a terminal; both are gone at the end."""
    (scene.folder / "note.txt").write_text("an old note\n")
    init = initial_file(scene, laid_over(scene.settings(), settings), more=_STATUS_LINE)
    it = Terminal(scene)
    size = ("-x", str(COLUMNS), "-y", str(ROWS))
    it.tmux("new-session", "-d", *size, binary(), "-u", str(init), "note.txt")
    try:
        yield it
    finally:
        it.tmux("kill-server")
