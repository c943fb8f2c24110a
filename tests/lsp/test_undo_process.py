"""``perdure.changes`` and ``perdure.undo`` from an editor, with kills on the way."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.support.model_replies import by_turn, calls_reply, text_reply
from tests.support.scene import scene_at

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

COUNT = 40


async def test_an_undo_that_is_killed_is_called_again(tmp_path: Path) -> None:
    names = [f"{number}.txt" for number in range(COUNT)]
    calls = [("write", f'{{"path": "{name}", "content": "new\\n"}}') for name in names]
    with scene_at(tmp_path, by_turn(calls_reply(*calls), text_reply("done"))) as scene:
        for name in names:
            (scene.folder / name).write_text("old\n")
        async with scene.server(choose="Undo") as client:
            await scene.talk(client, "go")
            found = await client.command("changes")
            assert [change["state"] for change in found["changes"]] == ["applied"] * COUNT
            undoing = asyncio.create_task(client.command("undo"))
            await _until_some_are_undone(scene.folder)
            client.kill()
            undoing.cancel()
        texts = [scene.text(name) for name in names]
        assert set(texts) <= {"old\n", "new\n"}
        async with scene.server() as client:
            result = await client.command("undo", confirmed=True)
            outcomes = [file["outcome"] for file in result["files"]]
            assert set(outcomes) <= {"restored", "alreadyReverted"}
            assert len(outcomes) == COUNT
        assert [scene.text(name) for name in names] == ["old\n"] * COUNT


async def _until_some_are_undone(folder: Path) -> None:
    async with asyncio.timeout(20):
        while (folder / "1.txt").read_text() == "new\n":  # noqa: ASYNC110  another process does it
            await asyncio.sleep(0)
