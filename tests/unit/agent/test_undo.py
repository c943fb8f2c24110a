"""Undoing a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.agent_home import agent_at, leave_unfinished, session_file, talk
from tests.support.recording_host import RecordingHost
from tests.unit.agent.test_changes import changes

from perdure.agent import undo
from perdure.agent.host import Buffer
from perdure.agent.undo import FileUndo, file_undo
from perdure.agent.workspace import WorkspaceAgent
from perdure.json_types import JsonObject
from perdure.protocol.changes import UndoResult
from perdure.store.places import data_path

RUN = (
    'call: write {"path": "new.txt", "content": "new\\n"}',
    'call: write {"path": "old.txt", "content": "middle\\n"}',
    'call: edit {"path": "old.txt", "edits": [{"oldText": "middle", "newText": "late"}]}',
    'call: bash {"command": "echo bash > bash.txt"}',
    "---",
    "text: done",
)


@pytest.mark.parametrize(
    ("hashes", "now", "outcome"),
    [
        (("a", "b"), "b", "restored"),
        ((None, "b"), "b", "removed"),
        (("a", "b", "b", "c"), "c", "restored"),
        (("a", "b", "b", "c"), "b", "changedSince"),
        (("a", "b", "x", "c"), "c", "changedSince"),
        (("a", "b"), "x", "changedSince"),
        ((None, "b"), None, "alreadyReverted"),
        (("a", "b"), None, "changedSince"),
        (("a", "b", "b", "a"), "a", "alreadyReverted"),
    ],
)
def test_what_undoing_means(hashes: tuple[str | None, ...], now: str | None, outcome: str) -> None:
    assert file_undo(changes(*hashes), now).outcome == outcome


async def _after_a_run(agent: WorkspaceAgent, root: Path) -> None:
    (root / "old.txt").write_text("early\n")
    (root / "old.txt").chmod(0o640)
    await talk(agent, *RUN)
    assert (root / "old.txt").read_text() == "late\n"


def _outcomes(result: UndoResult) -> dict[str, str]:
    return {file["path"]: file["outcome"] for file in result["files"]}


@pytest.mark.asyncio
async def test_files_become_what_they_were(tmp_path: Path) -> None:
    root = tmp_path / "work"
    async with agent_at(tmp_path) as agent:
        await _after_a_run(agent, root)
        log = session_file(tmp_path).read_bytes()
        result = await agent.undoing.undo({"confirmed": True})
        assert result["outcome"] == "undone"
        assert _outcomes(result) == {"new.txt": "removed", "old.txt": "restored"}
        assert [c["command"] for c in result["commands"]] == ["echo bash > bash.txt"]
        assert {path.name for path in root.iterdir()} == {"old.txt", "bash.txt"}
        assert (root / "old.txt").read_text() == "early\n"
        assert (root / "old.txt").stat().st_mode & 0o777 == 0o640
        again = await agent.undoing.undo({"confirmed": True})
        assert again["outcome"] == "nothing"
        assert set(_outcomes(again).values()) == {"alreadyReverted"}
        assert session_file(tmp_path).read_bytes() == log


@pytest.mark.asyncio
async def test_what_changed_since_is_left_alone(tmp_path: Path) -> None:
    root = tmp_path / "work"
    async with agent_at(tmp_path) as agent:
        await _after_a_run(agent, root)
        (root / "old.txt").write_text("mine\n")
        result = await agent.undoing.undo({"confirmed": True})
        assert _outcomes(result) == {"new.txt": "removed", "old.txt": "changedSince"}
        assert (root / "old.txt").read_text() == "mine\n"


@pytest.mark.asyncio
async def test_a_link_in_the_place_of_a_file_is_left_alone(tmp_path: Path) -> None:
    root = tmp_path / "work"
    async with agent_at(tmp_path) as agent:
        await _after_a_run(agent, root)
        outside = tmp_path / "outside.txt"
        (root / "old.txt").rename(outside)
        (root / "old.txt").symlink_to(outside)
        result = await agent.undoing.undo({"confirmed": True})
        assert _outcomes(result)["old.txt"] == "changedSince"
        assert outside.read_text() == "late\n"


@pytest.mark.asyncio
async def test_the_user_is_asked_and_told(tmp_path: Path) -> None:
    root = tmp_path / "work"
    host = RecordingHost(choose="Keep")
    async with agent_at(tmp_path, host) as agent:
        await _after_a_run(agent, root)
        result = await agent.undoing.undo({})
        assert (result["outcome"], result["files"]) == ("kept", [])
        assert (root / "old.txt").read_text() == "late\n"
    (question,) = host.questions
    assert "Files that become what they were: 2." in question
    assert "cannot be undone: 1." in question


@pytest.mark.asyncio
async def test_a_content_that_was_lost_loses_nothing_else(tmp_path: Path) -> None:
    root = tmp_path / "work"
    async with agent_at(tmp_path) as agent:
        await _after_a_run(agent, root)
        for content in (data_path(session_file(tmp_path)) / "images" / "sha256").iterdir():
            content.unlink()
        result = await agent.undoing.undo({"confirmed": True})
        assert set(_outcomes(result).values()) == {"failed"}
        assert (root / "new.txt").exists()
        assert (root / "old.txt").read_text() == "late\n"


@pytest.mark.asyncio
async def test_an_earlier_run_below_a_later_one(tmp_path: Path) -> None:
    root = tmp_path / "work"
    async with agent_at(tmp_path) as agent:
        await _after_a_run(agent, root)
        first = (await agent.undoing.changes({}))["changes"][0]["operationId"]
        await talk(agent, 'call: write {"path": "old.txt", "content": "2\\n"}', "---", "text: done")
        result = await agent.undoing.undo({"operationId": first, "confirmed": True})
        assert _outcomes(result) == {"new.txt": "removed", "old.txt": "changedSince"}
        last = await agent.undoing.undo({"confirmed": True})
        assert _outcomes(last) == {"old.txt": "restored"}
        rest = await agent.undoing.undo({"operationId": first, "confirmed": True})
        assert _outcomes(rest) == {"new.txt": "alreadyReverted", "old.txt": "restored"}
        assert (root / "old.txt").read_text() == "early\n"


@pytest.mark.asyncio
async def test_not_while_an_operation_is_unfinished(tmp_path: Path) -> None:
    await leave_unfinished(tmp_path, *RUN[:-1])
    async with agent_at(tmp_path) as agent:
        with pytest.raises(Exception, match="unfinished") as busy:
            await agent.undoing.undo({"confirmed": True})
        assert getattr(busy.value, "code", "") == "busy"
        assert (tmp_path / "work" / "new.txt").exists()


@pytest.mark.asyncio
async def test_after_a_kill_between_two_files_the_rest_is_undone(tmp_path: Path) -> None:
    root = tmp_path / "work"
    async with agent_at(tmp_path) as agent:
        await _after_a_run(agent, root)
        data = data_path(session_file(tmp_path))
        (root / "new.txt").unlink()
    async with agent_at(tmp_path) as agent:
        result = await agent.undoing.undo({"confirmed": True})
        assert _outcomes(result) == {"new.txt": "alreadyReverted", "old.txt": "restored"}
    stale = FileUndo(root / "old.txt", "x", "y", "restored")
    assert undo.perform(stale, root=root, data=data)["outcome"] == "changedSince"


class _Editing(RecordingHost):
    """A host with a document that is not saved."""

    async def buffer(self, path: Path) -> Buffer | None:
        return Buffer(path.as_uri(), 1, "typed\n") if path.name == "old.txt" else None


@pytest.mark.asyncio
async def test_a_file_with_unsaved_changes_is_left_alone(tmp_path: Path) -> None:
    async with agent_at(tmp_path) as agent:
        await _after_a_run(agent, tmp_path / "work")
    async with agent_at(tmp_path, _Editing()) as agent:
        result = await agent.undoing.undo({"confirmed": True})
        assert _outcomes(result) == {"new.txt": "removed", "old.txt": "changedSince"}


@pytest.mark.asyncio
async def test_a_file_in_a_folder_that_the_user_allows(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write = f'call: write {{"path": "{other}/new.txt", "content": "new"}}'
    allowed: JsonObject = {"directories": [str(other)]}
    async with agent_at(tmp_path, tools=allowed) as agent:
        await talk(agent, write, "---", "text: done")
        assert (other / "new.txt").read_text() == "new"
    async with agent_at(tmp_path) as agent:
        result = await agent.undoing.undo({"confirmed": True})
        assert _outcomes(result) == {f"{other}/new.txt": "failed"}
    async with agent_at(tmp_path, tools=allowed) as agent:
        result = await agent.undoing.undo({"confirmed": True})
        assert _outcomes(result) == {f"{other}/new.txt": "removed"}
