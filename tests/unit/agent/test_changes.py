"""What a session changed, and whether it is still so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.support.agent_home import agent_at, talk

from perdure.agent.changes import UNREADABLE, Change, happened, states
from perdure.errors import CommandError
from perdure.json_types import JsonObject
from perdure.protocol.changes import FileChange
from perdure.tools.images import Image

WRITE = 'call: write {"path": "a.txt", "content": "one\\n"}'
EDIT = 'call: edit {"path": "a.txt", "edits": [{"oldText": "one", "newText": "two"}]}'


def changes(*hashes: str | None, certain: bool = True) -> list[Change]:
    """Changes of one file, from pairs of hashes before and after."""
    pairs = zip(hashes[::2], hashes[1::2], strict=True)
    return [
        Change("run", "call", Image(Path("/a"), before, after or "", ""), certain)
        for before, after in pairs
    ]


@pytest.mark.parametrize(
    ("found", "now", "expected"),
    [
        (changes("a", "b", "b", "c"), "c", "applied applied"),
        (changes("a", "b", "b", "c"), "b", "applied reverted"),
        (changes("a", "b", "b", "c"), "a", "reverted reverted"),
        (changes("a", "b", "b", "c"), "x", "changedSince changedSince"),
        (changes("a", "b", "b", "c"), None, "changedSince changedSince"),
        (changes("a", "b", "b", "c"), UNREADABLE, "changedSince changedSince"),
        (changes(None, "b"), None, "reverted"),
        (changes("a", "b", "x", "c"), "c", "changedSince applied"),
        (changes("a", "b", "x", "c"), "x", "changedSince reverted"),
        (changes("a", "b", "b", "a"), "a", "applied applied"),
    ],
)
def test_states(found: Sequence[Change], now: str | None, expected: str) -> None:
    assert states(found, now) == expected.split()


@pytest.mark.parametrize(
    ("now", "later", "count"), [("b", (), 1), ("a", (), 0), ("c", ("b", "c"), 2), (None, (), 0)]
)
def test_an_interrupted_call_counts_where_it_left_a_trace(
    now: str | None, later: tuple[str, ...], count: int
) -> None:
    found = [*changes("a", "b", certain=False), *changes(*later)]
    assert len(happened(found, now)) == count


@pytest.mark.asyncio
async def test_the_changes_of_a_session(tmp_path: Path) -> None:
    async with agent_at(tmp_path) as agent:
        await talk(agent, WRITE, "---", 'call: bash {"command": "true"}', "---", "text: done")
        await talk(agent, EDIT, "---", "text: done")
        found = await agent.undoing.changes({})
        first, second = found["changes"]
        assert _short(first) == ("a.txt", "created", "applied")
        assert first["diff"] == "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+one\n"
        assert _short(second) == ("a.txt", "modified", "applied")
        assert second["diff"] == "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"
        assert [command["command"] for command in found["commands"]] == ["true"]
        last = await agent.undoing.changes({"operationId": second["operationId"]})
        assert (last["changes"], last["commands"]) == ([second], [])


@pytest.mark.asyncio
async def test_what_was_refused_or_failed_is_no_change(tmp_path: Path) -> None:
    deny: JsonObject = {"bash": "deny", "write": "deny", "edit": "allow"}
    async with agent_at(tmp_path, approval=deny) as agent:
        await talk(agent, WRITE, 'call: bash {"command": "true"}', EDIT, "---", "text: done")
        found = await agent.undoing.changes({})
        assert (found["changes"], found["commands"]) == ([], [])


@pytest.mark.asyncio
async def test_a_content_that_is_no_text(tmp_path: Path) -> None:
    async with agent_at(tmp_path) as agent:
        (tmp_path / "work" / "a.txt").write_bytes(b"\xff")
        await talk(agent, WRITE, "---", "text: done")
        (change,) = (await agent.undoing.changes({}))["changes"]
        assert change["diff"] == "(no text)\n"


@pytest.mark.asyncio
async def test_files_of_another_environment_are_not_looked_at(tmp_path: Path) -> None:
    async with agent_at(tmp_path) as agent:
        await talk(agent, WRITE, "---", "text: done")
    elsewhere = {"PERDURE_ENVIRONMENT_IDENTITY": "elsewhere"}
    async with agent_at(tmp_path, environ=elsewhere) as agent:
        with pytest.raises(CommandError, match="another environment"):
            await agent.undoing.changes({})


def _short(change: FileChange) -> tuple[str, str, str]:
    return change["path"], change["kind"], change["state"]
