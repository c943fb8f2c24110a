"""Several folders in one window of VS Code: whose session, question and trouble is which."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from tests.editors.vscode.code_server import wait_until
from tests.editors.vscode.rig import VsCode, server_of
from tests.editors.vscode.workbench import Window
from tests.support.lsp_client import workspace
from tests.support.model_replies import by_turn, calls_reply, text_reply
from tests.support.scene import Scene, scene_at

from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.vscode]

ASK: JsonObject = {"approval": {"bash": "ask"}}
ASKED = by_turn(
    calls_reply(("bash", {"command": "echo ran >> effect.txt"})), text_reply("It is done.")
)
EMPTY_MS = 5000
ONE_EFFECT: JsonObject = {"command": "echo start >> effect.txt; sleep 300"}


class Folders:
    """Folders of one home, and the ``.code-workspace`` file that lists some of them."""

    def __init__(self, home: Path, *names: str) -> None:
        self.file = home / "all.code-workspace"
        self._home = home
        self.list(*names)

    def list(self, *names: str) -> None:
        """Open these folders in the window, in place of those that it has."""
        for name in names:
            (workspace(self._home, name) / f"{name}.txt").touch()
        self.file.write_text(json.dumps({"folders": [{"path": name} for name in names]}))

    def effect(self, name: str) -> str:
        """What the commands in a folder have left there."""
        path = self._home / name / "effect.txt"
        return path.read_text() if path.exists() else ""


def _until_open(window: Window) -> None:
    """Wait until the window has its folders.

    On a busy machine VS Code can read the ``.code-workspace`` file before there is a file system,
    and then stays without folders until it is reloaded.
    """
    empty = window.page.get_by_text("You have not yet added a folder to the workspace.")

    def opened() -> bool:
        if empty.is_visible():
            window.page.wait_for_timeout(EMPTY_MS)
            if empty.is_visible():
                window.reload()
        return "Perdure (" in window.status_bar()

    wait_until(opened, "the folders")


def _prompt_in(window: Window, name: str) -> None:
    """Send a prompt from an editor of a folder."""
    window.open_file(f"{name}.txt")
    window.until_status(f"Perdure ({name})")
    window.prompt(f"Work on {name}")


def _until_row(window: Window, name: str, state: str) -> None:
    """Wait until the tree of sessions tells a folder's state."""
    wait_until(
        lambda: any(row.startswith(name) and state in row for row in window.tree()),
        f"{name}: {state}",
    )


def _sessions(scene: Scene) -> list[Path]:
    return sorted({path.parent for path in scene.session_files()})


def test_each_folder_asks_for_itself(vs_code: VsCode, tmp_path: Path) -> None:
    folders = Folders(tmp_path, "api", "web")
    with (
        scene_at(tmp_path, ASKED) as scene,
        vs_code.window(scene, place=folders.file, settings=ASK) as window,
    ):
        _until_open(window)
        window.page.get_by_role("tab", name="Perdure").click()
        window.until_status("Perdure (api): ready")
        window.run("Perdure: Prompt")
        window.pick("web")
        window.answer("Work on web")
        window.toast("Perdure (web): Allow bash: echo ran").wait_for()
        window.until_status("Perdure (web): waiting for you")
        _prompt_in(window, "api")
        window.toast("Perdure (api): Allow bash: echo ran").wait_for()
        _until_row(window, "api", "waiting for you")
        _until_row(window, "web", "waiting for you")
        window.screenshot("folders")
        window.run("Perdure: Allow")
        window.until_status("Perdure (api): idle")
        assert (folders.effect("api"), folders.effect("web")) == ("ran\n", "")
        window.press_in_toast("Perdure (web): Allow", "Deny")
        window.open_file("web.txt")
        window.until_status("Perdure (web): idle")
        assert (folders.effect("api"), folders.effect("web")) == ("ran\n", "")
        assert len(_sessions(scene)) == len(scene.session_files()) == 2


def test_after_a_crash_both_go_on_and_what_is_blocked_says_where(
    vs_code: VsCode, tmp_path: Path
) -> None:
    folders = Folders(tmp_path, "api", "web")
    step = calls_reply(("bash", ONE_EFFECT))
    with (
        scene_at(tmp_path, by_turn(step, step, step)) as scene,
        vs_code.window(scene, place=folders.file) as window,
    ):
        _until_open(window)
        _prompt_in(window, "api")
        _prompt_in(window, "web")
        _until_effects(folders, "start\n")
        os.kill(server_of(scene), signal.SIGKILL)
        _until_effects(folders, "start\nstart\n")
        window.reload()
        _until_effects(folders, "start\nstart\nstart\n")
        assert len(scene.session_files()) == 2
        vs_code.configure(scene, {"model": {"name": "other-model"}})
        window.reload()
        for name in ("api", "web"):
            window.toast(f"Perdure ({name}): ").filter(has_text="other-model").wait_for()
        window.fix_problem("web: ", "Abort the operation")
        wait_until(lambda: window.problems() == 1, "one problem less")
        window.screenshot("folders-blocked")
        window.open_file("web.txt")
        window.until_status("Perdure (web): idle")
        window.open_file("api.txt")
        window.until_status("Perdure (api): blocked")
        assert scene.model.count == 6


def _until_effects(folders: Folders, text: str) -> None:
    """Wait until the commands in both folders have left a text, and no more than that."""
    wait_until(lambda: folders.effect("api") == text, "the effect in api")
    wait_until(lambda: folders.effect("web") == text, "the effect in web")


def test_folders_come_and_go_with_their_questions(vs_code: VsCode, tmp_path: Path) -> None:
    folders = Folders(tmp_path, "api", "web")
    with (
        scene_at(tmp_path, ASKED) as scene,
        vs_code.window(scene, place=folders.file, settings=ASK) as window,
    ):
        _until_open(window)
        _prompt_in(window, "web")
        window.toast("Perdure (web): Allow bash: echo ran").wait_for()
        folders.list("api")
        window.until_status("Perdure: ready")
        wait_until(lambda: not window.offers("Perdure: Allow"), "no question any more")
        folders.list("api", "docs", "web")
        window.page.get_by_role("tab", name="Perdure").click()
        _until_row(window, "web", "waiting for you")
        window.run("Perdure: Allow")
        _until_row(window, "web", "idle")
        assert folders.effect("web") == "ran\n"
        _prompt_in(window, "docs")
        window.press_in_toast("Perdure (docs): Allow", "Allow")
        _until_row(window, "docs", "idle")
        assert folders.effect("docs") == "ran\n"
