"""A disk that is full under the session: nothing "succeeds" unrecorded.

The state directory is a tmpfs of 256 KiB, the workspace is elsewhere. A full disk leaves a session
the rest of its last page only, so the second test pads its second turn to the end of a page.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.model_replies import Reply, calls_reply, text_reply
from tests.support.model_server import assert_legal_history
from tests.support.scene import Scene, messages_of, scene_at, wait_state
from tests.support.tmpfs import mounted_tmpfs

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

pytestmark = [
    pytest.mark.process,
    pytest.mark.asyncio,
    pytest.mark.hazard("Disk full (a 256 KiB tmpfs): the run stops as storage_full"),
]

SIZE = 256 * 1024
PAGE = 4096
SPARE = 150
"""Bytes that are left after the intent: less than any result needs."""
ASK: JsonObject = {"approval": {"write": "ask"}}


@pytest.fixture
def full_home(tmp_path: Path) -> Iterator[Path]:
    """A home whose state directory is a small file system."""
    with mounted_tmpfs(tmp_path / "state", size=SIZE):
        yield tmp_path


def _write(name: str, content: str, text: str) -> Reply:
    return calls_reply(("write", {"path": name, "content": content}), text=text)


def _fill(scene: Scene) -> None:
    with (scene.home / "state/ballast").open("wb", buffering=0) as ballast:
        try:
            while True:
                ballast.write(b"x" * PAGE)
        except OSError as error:
            assert error.errno == errno.ENOSPC  # noqa: PT017


def _free(scene: Scene) -> None:
    (scene.home / "state/ballast").unlink()


async def _allow_when_asked(client: LspClient) -> None:
    status = await wait_state(client, "waitingForApproval")
    await client.command("approve", approvalId=status["approval"]["approvalId"], decision="allow")


async def test_before_the_next_tool_starts(full_home: Path) -> None:
    replies = [_write("a.txt", "a" * 2 * PAGE, "long"), text_reply("done")]
    with scene_at(full_home, replies) as scene:
        async with scene.server(settings=ASK) as client:
            await client.command("prompt", text="go")
            await wait_state(client, "waitingForApproval")
            _fill(scene)
            before = scene.digest()
            await _allow_when_asked(client)
            status = await wait_state(client, "unavailable")
            assert status["blocked"]["code"] == "storage_full"
            assert scene.digest() == before
            assert not (scene.folder / "a.txt").exists()
            _free(scene)
            assert (await client.command("resume"))["outcome"] in ("resumed", "running")
            await _allow_when_asked(client)
            await wait_state(client, "idle")
        assert (scene.folder / "a.txt").stat().st_size == 2 * PAGE
        assert scene.names().count("toolStarted") == 1
        assert scene.names()[-1] == "operationFinished:completed"


@pytest.mark.requirement(2, 3, 38)
@pytest.mark.hazard("Disk full exactly on the append of a `write` tool's result")
async def test_on_the_result_of_a_write(full_home: Path) -> None:
    with scene_at(full_home, lambda _, body: _two_turns(full_home, body)) as scene:
        async with scene.server(settings=ASK) as client:
            await client.command("prompt", text="measure")
            await _allow_when_asked(client)
            await wait_state(client, "idle")
            await client.command("prompt", text="go")
            await wait_state(client, "waitingForApproval")
            _fill(scene)
            await _allow_when_asked(client)
            status = await wait_state(client, "unavailable")
            assert status["blocked"]["code"] == "storage_full"
            assert scene.names()[-1] == "toolStarted"
            assert scene.text("2.txt") == "content"
            (scene.folder / "2.txt").unlink()
            _free(scene)
            assert (await client.command("resume"))["outcome"] in ("resumed", "running")
            await wait_state(client, "idle")
        assert scene.text("2.txt") == ""
        assert scene.names().count("tool:interrupted") == 1
        assert_legal_history(scene.model.requests[-1].body)


def _two_turns(home: Path, body: JsonObject) -> Reply:
    """Write a file in each turn; the second answer is padded to the end of a page."""
    messages = messages_of(body)
    if messages[-1]["role"] == "tool":
        return text_reply("done")
    if messages[-1]["content"] == "measure":
        return _write("1.txt", "content", "x")
    (session,) = home.glob("state/workspaces/*/sessions/*.jsonl")
    data = session.read_bytes()
    lines = data.split(b"\n")
    answer = next(i for i, line in enumerate(lines) if b'"tool_calls":' in line)
    end = len(data) + len(lines[answer]) + len(lines[answer + 1]) + SPARE
    return _write("2.txt", "content", "x" * (1 + -end % PAGE))
