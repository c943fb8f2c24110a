"""A workspace, a real agent with the demo model, and a way to kill the agent at any commit.

A kill is played in one process: the files are copied at the instant of a commit, when no tool
runs, the agent is closed, and the copy takes the place of the files. Closing alone is the other
kill: a server that is closed commits nothing and leaves what SIGKILL leaves.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections import Counter
from collections.abc import Coroutine
from pathlib import Path
from typing import TypeVar

from tests.support.recording_host import RecordingHost

from perdure.agent.settings import Settings
from perdure.agent.workspace import WorkspaceAgent
from perdure.core.reducer import Reduced, reduce_session
from perdure.core.state import SessionState
from perdure.json_types import JsonObject, JsonValue
from perdure.protocol.progress import CommittedParams
from perdure.protocol.status import Status

T = TypeVar("T")

PATIENCE_SECONDS = 60
MODELS = ("demo", "another")


class World:
    """One workspace; an agent is always open on it. ``model`` and ``resume`` are settings."""

    def __init__(self, home: Path, *, asks: bool, durability: str) -> None:
        self.model = MODELS[0]
        self.resume = "auto"
        self._home = home
        self._policy = "ask" if asks else "allow"
        self._durability = durability
        self._loop = asyncio.new_event_loop()
        (self.folder).mkdir(parents=True)
        (self.folder / "marks.txt").write_text("END\n")
        self.agent = self._open()

    @property
    def folder(self) -> Path:
        """The workspace folder."""
        return self._home / "live" / "work"

    @property
    def status(self) -> Status:
        """What the agent shows."""
        return self.agent.status()

    def do(self, work: Coroutine[None, None, T]) -> T:
        """Let the agent's loop run until ``work`` is done."""
        return self._loop.run_until_complete(asyncio.wait_for(work, PATIENCE_SECONDS))

    def log(self) -> Path | None:
        """The session file, if there is one; there is never a second one."""
        files = list(self._home.glob("live/state/workspaces/*/sessions/*.jsonl"))
        assert len(files) <= 1
        return files[0] if files else None

    def content(self) -> bytes:
        """The bytes of the session file."""
        path = self.log()
        return path.read_bytes() if path else b""

    def session(self) -> SessionState | None:
        """What the complete lines of the session file mean; they must mean something."""
        data = self.content()
        if not data:
            return None
        reduced = reduce_session(data[: data.rfind(b"\n") + 1])
        assert isinstance(reduced, Reduced), reduced
        return reduced.state

    def marks(self) -> Counter[str]:
        """How often each mark was made in the workspace."""
        files = [self.folder / "marks.txt", self.folder / "bash.txt"]
        return Counter(word for file in files if file.exists() for word in file.read_text().split())

    def configure(self) -> None:
        """Hand the settings to the agent."""
        self.agent.configure(self._settings())

    def work(self, commits: int) -> None:
        """Let the agent go on until it has committed that often, or does not run any more."""
        self.do(self._until_committed(commits))

    def settle(self) -> None:
        """Let the agent go on until it does not run any more."""
        self.do(self.agent.wait({"timeoutSeconds": PATIENCE_SECONDS}))
        assert self.status["state"] != "running"

    def kill_now(self, torn: bytes = b"") -> None:
        """Kill the agent where it is, and reopen."""
        self._close()
        self._reopen(torn)

    def kill_at(self, commits: int, torn: bytes = b"") -> None:
        """Let the agent go on, kill it right after that many commits, and reopen."""
        self.host.copy_at = self.host.commits + commits
        self.work(commits)
        self._close()
        if self._copy.exists():
            shutil.rmtree(self._live)
            self._copy.rename(self._live)
        self._reopen(torn)

    def end(self) -> None:
        """Close everything."""
        self._close()
        self._loop.close()

    @property
    def _live(self) -> Path:
        return self._home / "live"

    @property
    def _copy(self) -> Path:
        return self._home / "copy"

    def _reopen(self, torn: bytes) -> None:
        path = self.log()
        if path is not None and torn:
            with path.open("ab") as file:
                file.write(torn)
        self.agent = self._open()

    def _open(self) -> WorkspaceAgent:
        self.host = _Host(self._live, self._copy)
        agent = WorkspaceAgent(
            folder_uri=self.folder.as_uri(),
            root=self.folder,
            settings=self._settings(),
            host=self.host,
            environ={"PERDURE_STATE_DIR": str(self._live / "state")},
        )
        self.do(agent.start())
        return agent

    def _close(self) -> None:
        self.do(self.agent.close())

    async def _until_committed(self, commits: int) -> None:
        goal = self.host.commits + commits
        while self._is_before(goal):  # noqa: ASYNC110  the test goes on in the middle of things
            await asyncio.sleep(0)

    def _is_before(self, goal: int) -> bool:
        return self.host.commits < goal and self.status["state"] == "running"

    def _settings(self) -> Settings:
        values: dict[str, JsonValue] = {
            "model": {"provider": "demo", "name": self.model},
            "approval": {"edit": self._policy, "bash": "allow"},
            "durability": self._durability,
            "resume": self.resume,
        }
        return Settings.model_validate(values)


class _Host(RecordingHost):
    """Counts commits and copies the files at one of them."""

    def __init__(self, live: Path, copy: Path) -> None:
        super().__init__()
        self.commits = 0
        self.copy_at = 0
        self._live = live
        self._copy = copy

    def committed(self, params: CommittedParams) -> None:
        """Take note; here no tool runs and the agent waits."""
        super().committed(params)
        self.commits += 1
        if self.commits == self.copy_at:
            shutil.copytree(self._live, self._copy)


def script(number: int, kinds: list[list[str]]) -> str:
    """Return a prompt that has the demo model make these calls, answer by answer, then stop.

    Each call that has an effect leaves its own mark.
    """
    answers = []
    for step, calls in enumerate(kinds):
        marks = [f"m{number}-{step}-{index}" for index in range(len(calls))]
        lines = [_call(kind, mark) for kind, mark in zip(calls, marks, strict=True)]
        answers.append("\n".join(lines))
    return f"prompt {number}\n" + "\n---\n".join([*answers, f"text: done {number}"])


def _call(kind: str, mark: str) -> str:
    match kind:
        case "edit":
            edit: JsonObject = {"oldText": "END", "newText": f"{mark}\nEND"}
            return f"call: edit {json.dumps({'path': 'marks.txt', 'edits': [edit]})}"
        case "bash":
            return f"call: bash {json.dumps({'command': f'echo {mark} >> bash.txt'})}"
        case "read":
            return 'call: read {"path": "marks.txt"}'
        case "unknown":
            return "call: gone {}"
        case "broken":
            return 'call: edit {"path"'
        case _:
            return "error: server the server is down"
