"""A scene for tests of the whole product: a scripted model, a workspace, real servers.

::

    replies = by_turn(calls_reply(("bash", {"command": "ls"})), text_reply("Done."))
    with scene_at(tmp_path, replies) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            await scene.until_fact(client, "toolStarted")
            client.kill()
        async with scene.server() as client:
            await wait_state(client, "idle")
    assert scene.names()[-1] == "operationFinished:completed"

``names`` calls facts by these names: ``user``, ``assistant``, ``tool:success``, ``tool:error``,
``tool:<reason of a synthetic result>``, ``compaction``, ``usage``, the type of a record, and
``operationFinished:<outcome>``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.support.lsp_client import SERVE, start_server, workspace
from tests.support.model_replies import Reply, ReplyFunction
from tests.support.model_server import ModelServer

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject, JsonValue

ALLOW_ALL: JsonObject = {"bash": "allow", "write": "allow", "edit": "allow"}
APPROVES: JsonObject = {"experimental": {"perdure": {"approve": True}}}
PROGRESS: JsonObject = {"window": {"workDoneProgress": True}}


@dataclass
class Scene:
    """One workspace and its model; ``folder`` may be renamed and set again."""

    home: Path
    folder: Path
    model: ModelServer

    @asynccontextmanager
    async def server(
        self,
        *,
        settings: JsonObject | None = None,
        environ: Mapping[str, str] | None = None,
        capabilities: JsonObject | None = None,
        choose: str | None = None,
        command: Sequence[str] = SERVE,
    ) -> AsyncIterator[LspClient]:
        """Start a server on the workspace, initialized; killed at the end if it still runs.

        ``settings`` are laid over those of the scene, section by section. Questions by
        ``window/showMessageRequest`` are answered with ``choose``.
        """
        async with start_server(self.home, environ=environ, command=command) as client:
            answer = None if choose is None else {"title": choose}
            client.on_request("window/showMessageRequest", lambda _: answer)
            client.on_request("window/workDoneProgress/create", lambda _: None)
            merged = laid_over(self.settings(), settings or {})
            await client.initialize([self.folder], settings=merged, capabilities=capabilities)
            yield client

    def settings(self) -> JsonObject:
        """The scripted model, and every tool allowed."""
        model: JsonObject = {
            "provider": "openai",
            "name": "test-model",
            "baseUrl": self.model.base_url,
        }
        return {"model": model, "approval": ALLOW_ALL}

    def session_files(self) -> list[Path]:
        """All session files of the home, in the order of their creation."""
        return sorted((self.home / "state").glob("workspaces/*/sessions/*.jsonl"))

    def session_file(self) -> Path:
        """The only session file."""
        (path,) = self.session_files()
        return path

    def digest(self) -> str:
        """SHA-256 of the session file's bytes."""
        return sha256(self.session_file().read_bytes()).hexdigest()

    def facts(self) -> list[Any]:
        """All committed facts of the session file, in order; a torn tail is left out."""
        lines = self.session_file().read_bytes().split(b"\n")[1:-1]
        return [fact for line in lines for fact in _facts_of(json.loads(line))]

    def names(self) -> list[str]:
        """What the session file holds, in order; see the text above."""
        return [fact_name(fact) for fact in self.facts()]

    def named(self, name: str) -> list[Any]:
        """All facts of a name."""
        return [fact for fact in self.facts() if fact_name(fact) == name]

    def records(self, kind: str) -> list[Any]:
        """All records of one type."""
        return [
            fact["record"]
            for fact in self.facts()
            if fact["kind"] == "record" and fact["record"]["type"] == kind
        ]

    def cut_after(self, name: str) -> None:
        """Cut the session file after the first fact of this name, inside its transaction too."""
        header, *lines = self.session_file().read_bytes().split(b"\n")[:-1]
        kept = [header]
        for line in lines:
            facts = _facts_of(json.loads(line))
            names = [fact_name(fact) for fact in facts]
            if name in names:
                kept.append(json.dumps(facts[: names.index(name) + 1]).encode())
                break
            kept.append(line)
        self.rewrite(b"\n".join([*kept, b""]))

    def patch_last(self, **changes: JsonValue) -> None:
        """Change members of the record that the last line of the session file holds."""
        head, line = self.session_file().read_bytes().removesuffix(b"\n").rsplit(b"\n", 1)
        facts = _facts_of(json.loads(line))
        last: Any = facts[-1]
        last["record"].update(changes)
        self.rewrite(head + b"\n" + json.dumps(facts).encode() + b"\n")

    def rewrite(self, log: bytes) -> None:
        """Put another log in the place of the session, without the sidecar that denies it."""
        self.session_file().write_bytes(log)
        self.session_file().with_suffix(".seal").unlink(missing_ok=True)

    def tool_results(self) -> list[str]:
        """The texts of all tool results, in order."""
        return [
            fact["entry"]["message"]["content"]
            for fact in self.facts()
            if fact_name(fact).startswith("tool:")
        ]

    def text(self, name: str) -> str:
        """The text of a file in the workspace, empty when there is none."""
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    async def talk(self, client: LspClient, *prompts: str) -> None:
        """Prompt after prompt, each when the one before is finished."""
        for prompt in prompts:
            await client.command("prompt", text=prompt)
            await wait_state(client, "idle")

    async def until_file(self, client: LspClient, name: str) -> None:
        """Wait until a file of the workspace has content; fails when the server ends first."""

        def has_content() -> bool:
            assert client.process.returncode is None
            return self.text(name) != ""

        await eventually(has_content)

    async def until_fact(self, client: LspClient, name: str, count: int = 1) -> None:
        """Wait until the client was shown ``count`` facts of a name."""

        def shown(_: object) -> bool:
            told = client.notifications["perdure/committed"]
            names = [fact_name(fact) for params in told for fact in params["facts"]]
            return names.count(name) >= count

        await client.until("perdure/committed", shown)


@contextmanager
def scene_at(home: Path, replies: Sequence[Reply] | ReplyFunction) -> Iterator[Scene]:
    """Set up a scene under ``home``; the model gives ``replies``."""
    with ModelServer(replies) as model:
        yield Scene(home, workspace(home), model)


async def wait_state(client: LspClient, *states: str) -> Any:  # noqa: ANN401
    """Wait until the latest status is in one of ``states``; return it."""
    told = client.notifications["perdure/status"]
    await client.until("perdure/status", lambda _: told[-1]["state"] in states)
    return told[-1]


async def eventually(condition: Callable[[], bool], *, seconds: float = 20) -> None:
    """Wait for what another process does; raises TimeoutError after ``seconds``."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  no event comes from there
            await asyncio.sleep(0.01)


def summarising(summary: Reply, answer: Reply) -> ReplyFunction:
    """Reply ``summary`` to the requests of compactions, which offer no tools, else ``answer``."""
    return lambda _, body: answer if "tools" in body else summary


def messages_of(body: JsonObject) -> list[Any]:
    """The messages of a request without the system message."""
    messages = body["messages"]
    assert isinstance(messages, list)
    return [message for message in messages if not _is_system(message)]


def laid_over(below: JsonObject, above: JsonObject) -> JsonObject:
    """Settings with others over them, section by section."""
    merged = dict(below)
    for key, value in above.items():
        inner = merged.get(key)
        both = isinstance(inner, dict) and isinstance(value, dict)
        merged[key] = {**inner, **value} if both else value  # type: ignore[dict-item]
    return merged


def is_alive(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    return _state_and_parent(pid)[0] not in ("Z", "")


def children_of(pid: int) -> list[int]:
    """The children of a process, zombies too."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [child for child in pids if _state_and_parent(child)[1] == str(pid)]


def _state_and_parent(pid: int) -> tuple[str, str]:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return "", ""
    return fields[0], fields[1]


def fact_name(fact: Any) -> str:  # noqa: ANN401
    """Call a fact by one word; see the text above."""
    match fact:
        case {"entry": {"type": "compaction"}}:
            return "compaction"
        case {"entry": {"result": {"type": "synthetic", "reason": reason}}}:
            return f"tool:{reason}"
        case {"entry": {"result": {"type": kind}}}:
            return f"tool:{kind}"
        case {"entry": {"message": {"role": role}}}:
            return str(role)
        case {"record": {"type": "operationFinished", "outcome": outcome}}:
            return f"operationFinished:{outcome}"
        case {"record": {"type": kind}}:
            return str(kind)
        case _:
            return str(fact["kind"])


def _facts_of(line: JsonValue) -> list[JsonValue]:
    return line if isinstance(line, list) else [line]


def _is_system(message: JsonValue) -> bool:
    return isinstance(message, dict) and message["role"] == "system"
