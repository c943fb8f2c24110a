"""Calls whose result was lost, but whose outcome can be known: it is stored, not repeated."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from tests.support.model_replies import ReplyFunction, by_turn, calls_reply, text_reply
from tests.support.model_server import assert_legal_history
from tests.support.scene import Scene, is_alive, scene_at, wait_state

from perdure.json_types import JsonObject
from perdure.store.places import data_path
from perdure.tools.base import ToolContext
from perdure.tools.files import unfinished
from perdure.tools.registry import builtin_tools

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

Change: TypeAlias = Callable[[Path], object]

FREEZE = "echo once >> effects; kill -STOP $(cat server.pid); echo printed; exit 3"
"""The command ends while the server cannot take note of it."""
WAIT = "echo $$ > pid; until [ -e go ]; do sleep 0.02; done; echo finished"
KEEP: JsonObject = {"runningCommands": "keep"}
CALLS: dict[str, JsonObject] = {
    "write": {"path": "a.txt", "content": "new"},
    "edit": {"path": "a.txt", "edits": [{"oldText": "old", "newText": "new"}]},
}


def model(name: str, arguments: JsonObject) -> ReplyFunction:
    """Make one call, then stop."""
    return by_turn(calls_reply((name, arguments)), text_reply("Done."))


async def ended_under_a_frozen_server(scene: Scene) -> Path:
    """Run ``FREEZE``, kill the server when the command has ended; return the job file."""
    async with scene.server() as client:
        (scene.folder / "server.pid").write_text(str(client.process.pid))
        await client.command("prompt", text="go")
        async with asyncio.timeout(20):
            while not (ended := _ended_jobs(scene)):  # noqa: ASYNC110  another process ends
                await asyncio.sleep(0.01)
        client.kill()
    assert scene.names()[-1] == "toolStarted"
    return ended[0]


def _ended_jobs(scene: Scene) -> list[Path]:
    jobs = scene.home.glob("state/**/jobs/*.json")
    return [job for job in jobs if json.loads(job.read_text())["state"] == "exited"]


async def reopened(scene: Scene, **settings: Any) -> list[Any]:  # noqa: ANN401
    """Reopen until idle, check the requests; return the questions that the user was asked."""
    async with scene.server(settings=settings) as client:
        asked: list[Any] = []
        client.on_request("window/showMessageRequest", asked.append)
        await wait_state(client, "idle")
    for request in scene.model.requests:
        assert_legal_history(request.body)
    return [question["message"] for question in asked]


@pytest.mark.requirement(2, 3, 66)
async def test_a_command_that_ended_before_its_server(tmp_path: Path) -> None:
    with scene_at(tmp_path, model("bash", {"command": FREEZE})) as scene:
        await ended_under_a_frozen_server(scene)
        (told,) = await reopened(scene)
        assert told == "Resumed: bash has ended meanwhile and its result is stored."
        assert scene.tool_results() == ["printed\n\nCommand exited with code 3"]
        assert scene.named("tool:success")
        assert scene.text("effects") == "once\n"
        assert scene.model.count == 2


def _another_boot(job: Path) -> None:
    value = json.loads(job.read_text())
    job.write_text(json.dumps({**value, "bootId": "of another day"}))


def _output_is_gone(job: Path) -> None:
    job.with_suffix(".out").unlink()


def _job_is_gone(job: Path) -> None:
    job.unlink()


@pytest.mark.requirement(2, 38)
@pytest.mark.parametrize("spoil", [_another_boot, _output_is_gone, _job_is_gone])
async def test_without_all_of_the_evidence_it_is_interrupted(tmp_path: Path, spoil: Change) -> None:
    with scene_at(tmp_path, model("bash", {"command": FREEZE})) as scene:
        spoil(await ended_under_a_frozen_server(scene))
        await reopened(scene)
        assert scene.names().count("tool:interrupted") == 1
        assert scene.text("effects") == "once\n"


async def test_a_command_that_is_waited_for_is_shown(tmp_path: Path) -> None:
    with scene_at(tmp_path, model("bash", {"command": WAIT})) as scene:
        async with scene.server(settings=KEEP) as client:
            await client.command("prompt", text="go")
            await scene.until_file(client, "pid")
            client.kill()
        async with scene.server(settings=KEEP) as client:
            await client.until("perdure/status", _is_attached)
            status = await client.command("status")
            assert status["state"] == "running"
            assert status["operation"]["phase"] == "tool"
            assert (await client.command("abort"))["outcome"] == "aborted"
            assert not is_alive(int(scene.text("pid")))
        assert scene.names().count("tool:interrupted") == 1


def _is_attached(status: Any) -> bool:  # noqa: ANN401
    operation = status["operation"]
    return operation is not None and operation["label"].startswith("Running bash (since 20")


async def lost_result(scene: Scene, name: str) -> str:
    """Make the call, take its result out of the log; return the text of the result."""
    (scene.folder / "a.txt").write_text("old")
    async with scene.server() as client:
        await scene.talk(client, "go")
    (text,) = scene.tool_results()
    scene.cut_after("toolStarted")
    (scene.folder / "a.txt").write_text("old")
    tool = builtin_tools().get(name)
    assert tool is not None
    (started,) = (fact["id"] for fact in scene.named("toolStarted"))
    data = data_path(scene.session_file())
    await tool.execute(CALLS[name], ToolContext(scene.folder, data, started, False, _drop))
    return text


def _drop(_: str) -> None:
    """Show nothing."""


@pytest.mark.requirement(2, 3)
@pytest.mark.parametrize("name", list(CALLS))
async def test_a_file_with_its_new_content_is_a_result(tmp_path: Path, name: str) -> None:
    with scene_at(tmp_path, model(name, CALLS[name])) as scene:
        text = await lost_result(scene, name)
        modified = (scene.folder / "a.txt").stat().st_mtime_ns
        (told,) = await reopened(scene)
        assert f"{name} is recorded as done" in told
        assert scene.tool_results() == [text]
        assert scene.names().count("tool:success") == 1
        assert (scene.folder / "a.txt").stat().st_mtime_ns == modified


@pytest.mark.requirement(2, 38)
@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (lambda file: file.write_text("old"), "its file is as it was before the call"),
        (lambda file: file.write_text("third"), "its file has other content"),
        (Path.unlink, "its file has other content"),
    ],
    ids=["notApplied", "changedSince", "deleted"],
)
async def test_any_other_content_is_not(tmp_path: Path, change: Change, finding: str) -> None:
    with scene_at(tmp_path, model("edit", CALLS["edit"])) as scene:
        await lost_result(scene, "edit")
        change(scene.folder / "a.txt")
        before = scene.text("a.txt")
        (told,) = await reopened(scene)
        assert finding in told
        assert scene.names().count("tool:interrupted") == 1
        assert scene.text("a.txt") == before


def left_beside_the_file(scene: Scene) -> Path:
    """Leave the half-written content that a kill leaves; return its path."""
    (started,) = (fact["id"] for fact in scene.named("toolStarted"))
    left = unfinished(scene.folder / "a.txt", started)
    left.write_text("ne")
    return left


async def test_a_half_written_file_is_removed(tmp_path: Path) -> None:
    with scene_at(tmp_path, model("write", CALLS["write"])) as scene:
        await lost_result(scene, "write")
        left = left_beside_the_file(scene)
        of_another = left.with_name(".perdure-of-another.tmp")
        of_another.touch()
        await reopened(scene)
        assert not left.exists()
        assert of_another.exists()


async def test_an_abort_comes_before_what_is_known(tmp_path: Path) -> None:
    with scene_at(tmp_path, model("write", CALLS["write"])) as scene:
        await lost_result(scene, "write")
        left = left_beside_the_file(scene)
        async with scene.server(settings={"resume": "never"}) as client:
            await wait_state(client, "suspended")
            assert (await client.command("abort"))["outcome"] == "aborted"
        assert scene.names()[-2:] == ["tool:interrupted", "operationFinished:aborted"]
        assert not left.exists()
