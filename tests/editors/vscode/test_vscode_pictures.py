"""What a user sees, as pictures: with ``PERDURE_SCREENSHOTS`` they go where that says.

``PERDURE_SCREENSHOTS=editor-clients/vscode/images`` makes those of the extension's page anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.editors.vscode.code_server import wait_until
from tests.editors.vscode.rig import VsCode
from tests.editors.vscode.workbench import Window
from tests.support.lsp_client import workspace
from tests.support.model_replies import (
    Reply,
    ReplyFunction,
    by_turn,
    calls_reply,
    hang_reply,
    text_reply,
)
from tests.support.scene import Scene, scene_at

from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.vscode]

MODEL: JsonObject = {"model": {"name": "qwen3-coder"}}
ASK: JsonObject = {**MODEL, "approval": {"edit": "ask"}}
GREETING = '''\
"""Greets people."""


def greeting(name):
    return "Hello " + name


if __name__ == "__main__":
    print(greeting("Ada"))
'''
CHANGE: JsonObject = {
    "oldText": 'def greeting(name):\n    return "Hello " + name\n',
    "newText": 'def greeting(name: str) -> str:\n    """Greet somebody."""\n'
    '    return f"Hello, {name}!"\n',
}
EDIT: JsonObject = {"path": "greeting.py", "edits": [CHANGE]}
WORK = by_turn(
    calls_reply(("read", {"path": "greeting.py"}), usage=(1840, 41)),
    calls_reply(("edit", EDIT), usage=(2031, 118)),
    calls_reply(("bash", {"command": "python3 greeting.py"}), usage=(2202, 35)),
    text_reply(
        "`greeting` has types now, and ends with an exclamation mark. "
        "I ran it: it prints `Hello, Ada!`.",
        usage=(2290, 52),
    ),
)


@contextmanager
def _greeter(home: Path, replies: Sequence[Reply] | ReplyFunction) -> Iterator[Scene]:
    """A workspace with one file, and a name that can be read in a picture."""
    with TemporaryDirectory(prefix="perdure-") as short, scene_at(home, replies) as scene:
        scene.folder = workspace(Path(short), "greeter")
        (scene.folder / "greeting.py").write_text(GREETING)
        yield scene


def _at_work(window: Window) -> None:
    window.page.get_by_role("tab", name="Perdure").click()
    window.prompt("Add types to greeting, and an exclamation mark. Run it.")


def test_transcript(vs_code: VsCode, tmp_path: Path) -> None:
    with (
        _greeter(tmp_path, WORK) as scene,
        vs_code.window(scene, settings=MODEL) as window,
    ):
        window.open_file("greeting.py")
        _at_work(window)
        window.until_transcript("*Completed in")
        wait_until(lambda: any("greeting.py" in row for row in window.tree()), "the change")
        window.screenshot("transcript")


def test_approval(vs_code: VsCode, tmp_path: Path) -> None:
    with (
        _greeter(tmp_path, WORK) as scene,
        vs_code.window(scene, settings=ASK) as window,
    ):
        _at_work(window)
        wait_until(lambda: "Hello, {name}!" in window.diff()[1], "the diff")
        window.run("Perdure: Review What Waits for Approval")
        window.toast("greeting.py").first.wait_for()
        window.screenshot("approval")


def test_blocked(vs_code: VsCode, tmp_path: Path) -> None:
    with _greeter(tmp_path, [hang_reply()]) as scene:
        with vs_code.window(scene, settings=MODEL) as window:
            _at_work(window)
            wait_until(lambda: scene.model.count == 1, "the request")
        with vs_code.window(scene, settings={"model": {"name": "llama4"}}) as window:
            window.open_file("greeting.py")
            window.run("Perdure: Show Transcript")
            window.until_transcript("> Add types")
            window.open_fixes("model: qwen3-coder → llama4")
            window.screenshot("blocked")
