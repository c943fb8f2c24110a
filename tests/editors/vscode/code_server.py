"""VS Code as a web server: the real workbench and extension host, for a browser on loopback."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import urlopen

from perdure.json_types import JsonObject

SECONDS = 90
"""How long anything may take on a busy machine."""

_SETTINGS: JsonObject = {
    "chat.commandCenter.enabled": False,
    "chat.disableAIFeatures": True,
    "editor.accessibilitySupport": "off",
    "editor.minimap.enabled": False,
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "security.workspace.trust.banner": "never",
    "security.workspace.trust.startupPrompt": "never",
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "update.showReleaseNotes": False,
    "window.commandCenter": False,
    "workbench.colorTheme": "Default Dark Modern",
    "workbench.enableExperiments": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "workbench.welcomePage.walkthroughs.openOnInstall": False,
}
"""A window without questions, advertisements and downloads."""

_FLAGS = (
    "--auth=none",
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-getting-started-override",
)


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Wait for a condition; fails after ``SECONDS``."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.05)


class CodeServer:
    """One running code-server; its files are under ``home``."""

    def __init__(self, process: subprocess.Popen[bytes], home: Path, port: int) -> None:
        self.process = process
        self._home = home
        self._port = port
        wait_until(self._is_up, f"code-server; see {home / 'code-server.log'}")

    def url(self, place: Path) -> str:
        """The address of a window on a folder, or on the folders of a ``.code-workspace`` file."""
        kind = "workspace" if place.suffix == ".code-workspace" else "folder"
        return f"http://127.0.0.1:{self._port}/?{kind}={quote(str(place))}"

    def configure(self, settings: JsonObject, *, trust: bool) -> None:
        """Write the settings of the windows that are opened or reloaded from now on.

        A remote window takes those of scope ``machine`` from one file and those of scope
        ``application`` from the other. ``trust``: whether it asks who may be trusted.
        """
        trusting: JsonObject = {"security.workspace.trust.enabled": trust}
        for name in ("User", "Machine"):
            path = self._home / "data" / name / "settings.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({**_SETTINGS, **trusting, **settings}, indent=2))

    def end_windows(self) -> None:
        """Kill the extension hosts, which would outlive the browser by hours."""
        for pid in _descendants(self.process.pid):
            if b"--type=extensionHost" in command_line(pid):
                _kill(pid)

    def _is_up(self) -> bool:
        assert self.process.poll() is None, "code-server has ended"
        try:
            with urlopen(f"http://127.0.0.1:{self._port}/healthz", timeout=5) as answer:
                return bool(answer.status == 200)
        except (URLError, TimeoutError, ConnectionError):
            return False


@contextmanager
def code_server(program: Sequence[str], home: Path, extension: Path) -> Iterator[CodeServer]:
    """Install an extension and run code-server; with all of its processes it is gone at the end."""
    arguments = [
        *program,
        *_FLAGS,
        f"--user-data-dir={home / 'data'}",
        f"--extensions-dir={home / 'extensions'}",
        f"--config={home / 'config.yaml'}",
    ]
    port = _free_port()
    (home / "config.yaml").write_text("cert: false\n")
    environment = _environment(home)
    with (home / "code-server.log").open("ab") as log:
        subprocess.run(
            [*arguments, f"--install-extension={extension}"],
            env=environment,
            stdout=log,
            stderr=log,
            check=True,
            timeout=SECONDS,
        )
        process = subprocess.Popen(
            [*arguments, f"--bind-addr=127.0.0.1:{port}"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield CodeServer(process, home, port)
    finally:
        for pid in [*_descendants(process.pid), process.pid]:
            _kill(pid)
        process.wait()


def command_line(pid: int) -> bytes:
    """The arguments of a process, NUL after each; empty when it is gone."""
    return _of_process(pid, "cmdline")


def processes_with(variable: str) -> list[int]:
    """All processes with ``NAME=value`` in their first environment."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in pids if variable.encode() in _of_process(pid, "environ").split(b"\0")]


def _environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _descendants(pid: int) -> list[int]:
    """The processes below one, each before those that it started."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            fields = _of_process(int(path.name), "stat").rpartition(b")")[2].split()
            parents.setdefault(int(fields[1]) if fields else 0, []).append(int(path.name))
    found = list(parents.get(pid, []))
    for child in found:
        found += parents.get(child, [])
    return found


def _of_process(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
