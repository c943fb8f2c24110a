"""VS Code with the extension in it, opened on the workspace of a scene.

::

    def test_something(vs_code: VsCode, tmp_path: Path) -> None:
        with scene_at(tmp_path, replies) as scene, vs_code.window(scene) as window:
            window.prompt("Do it")
            window.until_transcript("> It is done.")
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.editors.vscode.code_server import (
    CodeServer,
    command_line,
    processes_with,
    wait_until,
)
from tests.editors.vscode.workbench import Window, browser
from tests.support.lsp_client import SERVE, server_environment
from tests.support.scene import Scene, laid_over

from perdure.json_types import JsonObject, JsonValue

_SOURCE: JsonObject = {"transcript": {"open": "source"}}


class VsCode:
    """One running VS Code for many tests, each with windows of its own."""

    def __init__(self, server: CodeServer, profile: Path) -> None:
        self._server = server
        self._profile = profile

    @contextmanager
    def window(
        self,
        scene: Scene,
        *,
        place: Path | None = None,
        settings: JsonObject | None = None,
        command: Sequence[str] = SERVE,
        trust: bool = False,
        language: str = "en",
    ) -> Iterator[Window]:
        """Open a window on the scene's workspace; it and its server are gone at the end.

        ``place`` is what is opened in place of the scene's folder: a ``.code-workspace`` file.
        ``settings`` are the user's, laid over those of the scene; the transcript opens as source.
        With ``trust`` a workspace is not trusted until the user says so. Only extensions have other
        languages than English: VS Code's own texts would need a language pack.
        """
        self.configure(scene, settings, command=command, trust=trust)
        try:
            with browser(self._profile, language) as context:
                window = Window(context, self._server.url(place or scene.folder), scene.home)
                yield from _looked_at(window)
        finally:
            self._server.end_windows()
        wait_until(lambda: not servers(scene), "the end of the server")

    def configure(
        self,
        scene: Scene,
        settings: JsonObject | None = None,
        *,
        command: Sequence[str] = SERVE,
        trust: bool = False,
    ) -> None:
        """Write the settings, which windows take when they are opened or reloaded."""
        environment = [f"{key}={value}" for key, value in server_environment(scene.home).items()]
        merged = laid_over(laid_over(scene.settings(), _SOURCE), settings or {})
        merged["server"] = {"command": ["env", *environment, *command]}
        self._server.configure(dict(_flat("perdure", merged)), trust=trust)


def servers(scene: Scene) -> list[int]:
    """The processes of the servers that keep the scene's sessions."""
    found = processes_with(f"PERDURE_STATE_DIR={scene.home / 'state'}")
    return [pid for pid in found if b"perdure\0serve\0" in command_line(pid)]


def server_of(scene: Scene) -> int:
    """The process of the only server, which may still be about to start."""
    wait_until(lambda: len(servers(scene)) == 1, "one server")
    (pid,) = servers(scene)
    return pid


def _looked_at(window: Window) -> Iterator[Window]:
    """Lend a window; a test that fails leaves a picture, one that passes no dialog."""
    try:
        yield window
    except BaseException:
        window.screenshot("failed")
        raise
    assert window.dialogs() == []


def _flat(prefix: str, value: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    for key, inner in value.items():
        name = f"{prefix}.{key}"
        if isinstance(inner, dict):
            yield from _flat(name, inner)
        else:
            yield name, inner
