"""What a user sees in a terminal: Neovim in tmux, typed into and looked at."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

import pytest
from tests.editors.neovim.nvim import binary, environment, initial_file, wait_until
from tests.support.model_replies import by_turn, calls_reply, text_reply
from tests.support.scene import Scene, laid_over, scene_at

from perdure.json_types import JsonObject

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(which("tmux") is None, reason="tmux is not installed"),
]

ASK: JsonObject = {"approval": {"write": "ask"}}
WRITES = by_turn(
    calls_reply(("write", {"path": "note.txt", "content": "written by the model\n"})),
    text_reply("It is done."),
)
STATUS_LINE = """
vim.o.laststatus = 3
vim.o.statusline = '%{v:lua.require("perdure").statusline()}'
"""

APPROVAL = """\
# write: note.txt

a allow · s for this session · w always here · d deny · gd full diff · q later

{path}
```diff
@@ -1 +1 @@
-an old note
+written by the model
```

perdure: waitingForApproval · write: note.txt
"""


class Terminal:
    """A terminal of 160 columns and 40 lines."""

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
        wait_until(lambda: text in self.screen())


@contextmanager
def terminal(scene: Scene, settings: JsonObject) -> Iterator[Terminal]:
    """Start Neovim on ``note.txt`` in a terminal; both are gone at the end."""
    init = initial_file(scene, laid_over(scene.settings(), settings), more=STATUS_LINE)
    it = Terminal(scene)
    size = ("-x", "160", "-y", "40")
    it.tmux("new-session", "-d", *size, binary(), "-u", str(init), "note.txt")
    try:
        yield it
    finally:
        it.tmux("kill-server")


def test_a_run_from_prompt_to_changed_buffer(tmp_path: Path) -> None:
    with scene_at(tmp_path, WRITES) as scene:
        note = scene.folder / "note.txt"
        note.write_text("an old note\n")
        with terminal(scene, ASK) as seen:
            seen.until("an old note")
            seen.type(":Perdure prompt Write the note", "Enter")
            seen.until("> Write the note")
            seen.until("Perdure: allow write: note.txt? (:Perdure approve)")
            seen.type(":Perdure approve", "Enter")
            expected = APPROVAL.format(path=note)
            wait_until(lambda: expected in seen.screen())
            seen.type("a")
            seen.until("> It is done.")
            seen.until("perdure: idle · test-model")
            assert seen.screen().startswith("written by the model")
