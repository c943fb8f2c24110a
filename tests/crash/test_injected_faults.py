"""System calls that fail under a real server: it stops before anything happens unrecorded.

The session's file is the only one whose calls fail. While they do, the client hears why and what
can be done; when they no longer do, ``perdure.resume`` goes on to the end. The level is ``full``:
one thread makes all writes and syncs, so the n-th call is the same one in every run.

A kernel that wrote less than asked is made with RLIMIT_FSIZE: strace can only pretend.
"""

from __future__ import annotations

import resource
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.model_replies import by_turn, calls_reply, text_reply
from tests.support.model_server import assert_legal_history
from tests.support.scene import Scene, scene_at
from tests.support.strace import ALL_THREADS, needs_strace, traced
from tests.support.torture import report, torturing

from perdure.cli.lsp_client import LspClient, RpcError
from perdure.core.reducer import Reduced, reduce_session
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio, needs_strace]

FULL: JsonObject = {"durability": "full"}
MARKS = ("one", "two")
MODEL = by_turn(
    *(calls_reply(("bash", {"command": f"echo {mark} >> marks"})) for mark in MARKS),
    text_reply("Done."),
)
TRANSACTIONS = 11
"""Of the run without a fault, each with one write and one sync."""
OUTCOMES = ("tool:success", "tool:interrupted")


@dataclass(frozen=True)
class Fault:
    """What strace does to calls on the session's file; ``code`` is what the client hears.

    ``code`` is None when nobody should notice.
    """

    name: str
    inject: tuple[str, ...]
    code: str | None
    ordinary: tuple[int, ...]

    def options(self, log: Path, number: int) -> list[str]:
        """The options for strace; ``number`` says which call fails."""
        calls = ",".join(inject.partition(":")[0] for inject in self.inject)
        options = [*ALL_THREADS, "-P", str(log), "-o", "/dev/null", "-e", f"trace={calls}"]
        for inject in self.inject:
            options += ["-e", f"inject={inject.format(n=number)}"]
        return options


FAULTS = (
    Fault("no room", ("write:error=ENOSPC:when={n}+",), "storage_full", (1, 5)),
    Fault("no quota", ("write:error=EDQUOT:when={n}+",), "storage_full", (6,)),
    Fault("bad disk", ("write:error=EIO:when={n}+",), "storage_failed", (7,)),
    Fault("unsynced", ("fdatasync:error=EIO:when={n}",), "storage_failed", (1, 4, 10)),
    Fault("unsynced, no room", ("fdatasync:error=ENOSPC:when={n}",), "storage_failed", ()),
    Fault(
        "not cut back",
        ("write:error=ENOSPC:when={n}", "ftruncate:error=EIO:when=1"),
        "storage_failed",
        (4,),
    ),
    Fault("interrupted write", ("write:error=EINTR:when={n}",), None, ()),
    Fault("interrupted sync", ("fdatasync:error=EINTR:when={n}",), None, (4,)),
)


def points() -> list[Any]:
    """Every fault at a few transactions, or at all of them."""
    return [
        pytest.param(fault, number, id=f"{fault.name}-{number}")
        for fault in FAULTS
        for number in (range(1, TRANSACTIONS + 1) if torturing() else fault.ordinary)
    ]


@pytest.mark.requirement(2, 3, 38)
@pytest.mark.hazard("Disk full", "A write that returns fewer bytes than asked")
@pytest.mark.parametrize(("fault", "number"), points())
async def test_a_fault_of_the_disk(tmp_path: Path, fault: Fault, number: int) -> None:
    with scene_at(tmp_path, MODEL) as scene:
        async with scene.server(settings=FULL) as client:
            await client.command("newSession")
            async with traced(client.process.pid, *fault.options(scene.session_file(), number)):
                await run_into(scene, client, fault.code)
            await go_on(scene, client)
        assert_whole(scene, client)
    report(7, "faults injected", 1)


@pytest.mark.hazard("A write that returns fewer bytes than asked")
@pytest.mark.parametrize("room", [0, 1, 200, 1500, 2500] if torturing() else [1, 2500])
async def test_a_write_cut_short(tmp_path: Path, room: int) -> None:
    with scene_at(tmp_path, MODEL) as scene:
        async with scene.server(settings=FULL) as client:
            await client.command("newSession")
            async with limited(client.process.pid, scene.session_file().stat().st_size + room):
                await run_into(scene, client, "storage_failed")
            await go_on(scene, client)
        assert_whole(scene, client)
    report(7, "faults injected", 1)


@asynccontextmanager
async def limited(pid: int, size: int) -> AsyncIterator[None]:
    """Let no file of a process grow beyond ``size`` bytes."""
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard))


async def run_into(scene: Scene, client: LspClient, code: str | None) -> None:
    """Prompt, and hear of the fault; no command ran whose intent is not in the file."""
    assert await refusal(client.command("prompt", text="go")) in (None, code)
    status = await rest(client)
    assert (status["blocked"] or {}).get("code") == code
    if code is not None:
        assert status["state"] == "unavailable"
        actions = [action["command"] for action in status["blocked"]["actions"]]
        assert "perdure.resume" in actions
    started = [record["arguments"]["command"] for record in scene.records("toolStarted")]
    assert all(f"echo {mark} >> marks" in started for mark in marks(scene))


async def refusal(command: Coroutine[None, None, object]) -> str | None:
    """Return the code with which a command is refused, None when it is not."""
    try:
        await command
    except RpcError as refused:
        return str(refused.data["code"])
    return None


async def go_on(scene: Scene, client: LspClient) -> None:
    """Resume to the end now that the cause is gone; what was not accepted is sent again."""
    await client.command("resume")
    if not scene.named("user"):
        await client.command("prompt", text="go")
    status = await rest(client)
    assert status["state"] == "idle", status["blocked"]


async def rest(client: LspClient) -> Any:  # noqa: ANN401
    """Wait until nothing runs and return the status."""
    return await client.command("wait", timeoutSeconds=20)


def assert_whole(scene: Scene, client: LspClient) -> None:
    """The run is finished, what the client saw is stored once, and so is every effect."""
    reduced = reduce_session(scene.session_file().read_bytes())
    assert isinstance(reduced, Reduced)
    assert scene.names()[-1] == "operationFinished:completed"
    stored = [fact["id"] for fact in scene.facts()]
    shown = client.notifications["perdure/committed"]
    told = [fact["id"] for params in shown for fact in params["facts"]]
    assert [fact for fact in stored if fact in told] == told
    assert len(scene.named("user")) == 1
    results = [name for name in scene.names() if name in OUTCOMES]
    assert len(results) == len(MARKS)
    for mark, result in zip(MARKS, results, strict=True):
        assert marks(scene).count(mark) <= 1
        assert mark in marks(scene) or result == "tool:interrupted"
    for request in scene.model.requests:
        assert_legal_history(request.body)


def marks(scene: Scene) -> list[str]:
    """The effects of the commands."""
    return scene.text("marks").split()
