"""Unsaved text: tools see what the user sees, and nothing of it is ever lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.editor import APPLIES, APPLIES_UNDECLARED, Editor
from tests.support.model_replies import ReplyFunction, by_turn, calls_reply, text_reply
from tests.support.scene import scene_at

from perdure.json_types import JsonObject

pytestmark = [
    pytest.mark.process,
    pytest.mark.asyncio,
    pytest.mark.hazard("The target has unsaved changes in the editor: the user's text is never"),
]

READ: tuple[str, JsonObject] = ("read", {"path": "a.txt"})
EDIT: tuple[str, JsonObject] = (
    "edit",
    {"path": "a.txt", "edits": [{"oldText": "one", "newText": "ONE"}]},
)
WRITE: tuple[str, JsonObject] = ("write", {"path": "a.txt", "content": "all new\n"})


def _calls(*calls: tuple[str, JsonObject]) -> ReplyFunction:
    return by_turn(calls_reply(*calls), text_reply("done"))


async def test_the_tools_work_on_unsaved_text(tmp_path: Path) -> None:
    edit: JsonObject = {
        "path": "a.txt",
        "edits": [
            {"oldText": "one", "newText": "ONE"},
            {"oldText": "\U0001f600 four", "newText": "\U0001f600\nvier"},
        ],
    }
    unsaved = "typed \f\u2028 one\ntwo\nthree \U0001f600 four\n"
    with scene_at(tmp_path, _calls(READ, ("edit", edit), READ)) as scene:
        file = scene.folder / "a.txt"
        file.write_text("saved one\n")
        async with scene.server(capabilities=APPLIES) as client:
            editor = Editor(client, file, unsaved)
            await scene.talk(client, "go")
            asked: Any = client.requests["workspace/applyEdit"]
        before, edited, after = scene.tool_results()
        assert before == unsaved
        assert "Successfully replaced 2 block(s)" in edited
        assert "is not saved" in edited
        assert after == editor.text == "typed \f\u2028 ONE\ntwo\nthree \U0001f600\nvier\n"
        assert editor.undo == [unsaved]
        assert file.read_text() == "saved one\n"
        [params] = asked
        [change] = params["edit"]["documentChanges"]
        assert [edit["newText"] for edit in change["edits"]] == ["ONE", "\nvie"]
        assert list(scene.home.rglob("images/*")) == []


async def test_a_clean_document_is_its_file(tmp_path: Path) -> None:
    append: tuple[str, JsonObject] = ("bash", {"command": "echo more >> a.txt"})
    with scene_at(tmp_path, _calls(append, READ, EDIT)) as scene:
        file = scene.folder / "a.txt"
        file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\n")
        async with scene.server(capabilities=APPLIES) as client:
            Editor(client, file, "one\ntwo\n")
            await scene.talk(client, "go")
            assert client.requests["workspace/applyEdit"] == []
        assert "more" in scene.tool_results()[1]
        assert file.read_bytes() == b"\xef\xbb\xbfONE\r\ntwo\nmore\n"


async def test_a_document_is_clean_again_when_its_changes_are_undone(tmp_path: Path) -> None:
    append: tuple[str, JsonObject] = ("bash", {"command": "echo more >> a.txt"})
    with scene_at(tmp_path, _calls(READ, append, READ)) as scene:
        file = scene.folder / "a.txt"
        file.write_text("one\n")
        async with scene.server(capabilities=APPLIES) as client:
            editor = Editor(client, file, "one\n")
            editor.change("typed\n")
            editor.change("one\n")
            await scene.talk(client, "go")
        assert scene.tool_results()[2] == "one\nmore\n"


@pytest.mark.parametrize("end", ["save", "close"])
async def test_what_was_saved_or_closed_is_on_disk_again(tmp_path: Path, end: str) -> None:
    with scene_at(tmp_path, _calls(EDIT)) as scene:
        file = scene.folder / "a.txt"
        file.write_text("one\n")
        async with scene.server(capabilities=APPLIES) as client:
            editor = Editor(client, file, "one\n")
            editor.change("one, typed\n")
            editor.save(file) if end == "save" else editor.close()
            await scene.talk(client, "go")
        assert file.read_text() == ("ONE, typed\n" if end == "save" else "ONE\n")


@pytest.mark.parametrize("call", [EDIT, WRITE])
async def test_an_editor_that_cannot_apply_edits(
    tmp_path: Path, call: tuple[str, JsonObject]
) -> None:
    with scene_at(tmp_path, _calls(call)) as scene:
        file = scene.folder / "a.txt"
        file.write_text("saved one\n")
        async with scene.server() as client:
            editor = Editor(client, file, "unsaved one\n")
            await scene.talk(client, "go")
        [result] = scene.tool_results()
        assert result.startswith("Error: a.txt has unsaved changes in the editor")
        assert (editor.text, file.read_text()) == ("unsaved one\n", "saved one\n")


@pytest.mark.parametrize("call", [EDIT, WRITE])
async def test_the_user_types_meanwhile(tmp_path: Path, call: tuple[str, JsonObject]) -> None:
    with scene_at(tmp_path, _calls(call)) as scene:
        file = scene.folder / "a.txt"
        file.write_text("saved one\n")
        async with scene.server(capabilities=APPLIES) as client:
            editor = Editor(client, file, "unsaved one\n", types="more")
            await scene.talk(client, "go")
        [result] = scene.tool_results()
        assert result.startswith("Error: The editor did not change a.txt")
        assert (editor.text, file.read_text()) == ("unsaved one\nmore", "saved one\n")


@pytest.mark.parametrize(
    ("capabilities", "types", "believed"),
    [(APPLIES, "", True), (APPLIES, "more", False), (APPLIES_UNDECLARED, "", False)],
    ids=["silent", "typing", "undeclared"],
)
async def test_an_editor_that_only_says_that_it_did(
    tmp_path: Path, capabilities: JsonObject, types: str, believed: bool
) -> None:
    with scene_at(tmp_path, _calls(EDIT)) as scene:
        file = scene.folder / "a.txt"
        file.write_text("saved one\n")
        async with scene.server(capabilities=capabilities) as client:
            editor = Editor(client, file, "unsaved one\n")

            def pretend(_: object) -> JsonObject:
                if types:
                    editor.change(editor.text + types)
                return {"applied": True}

            client.on_request("workspace/applyEdit", pretend)
            await scene.talk(client, "go")
        [result] = scene.tool_results()
        expected = "Successfully" if believed else "Error: The editor says that it has changed"
        assert result.startswith(expected)
        assert file.read_text() == "saved one\n"


async def test_an_editor_that_does_not_declare_versions(tmp_path: Path) -> None:
    with scene_at(tmp_path, _calls(EDIT)) as scene:
        file = scene.folder / "a.txt"
        file.write_text("saved one\n")
        async with scene.server(capabilities=APPLIES_UNDECLARED) as client:
            editor = Editor(client, file, "unsaved one\n")
            await scene.talk(client, "go")
        assert editor.text == "unsaved ONE\n"
        assert scene.tool_results()[0].startswith("Successfully")


async def test_a_new_document_without_a_file(tmp_path: Path) -> None:
    with scene_at(tmp_path, _calls(READ, WRITE)) as scene:
        file = scene.folder / "a.txt"
        async with scene.server(capabilities=APPLIES) as client:
            editor = Editor(client, file, "typed\n")
            await scene.talk(client, "go")
        assert scene.tool_results()[0] == "typed\n"
        assert editor.text == "all new\n"
        assert not file.exists()


async def test_the_document_may_be_open_under_a_link(tmp_path: Path) -> None:
    with scene_at(tmp_path, _calls(EDIT)) as scene:
        file = scene.folder / "a.txt"
        file.write_text("saved one\n")
        link = scene.home / "link"
        link.symlink_to(scene.folder)
        async with scene.server(capabilities=APPLIES) as client:
            editor = Editor(client, link / "a.txt", "unsaved one\n")
            await scene.talk(client, "go")
        assert (editor.text, file.read_text()) == ("unsaved ONE\n", "saved one\n")


async def test_the_question_shows_unsaved_text(tmp_path: Path) -> None:
    with scene_at(tmp_path, _calls(EDIT)) as scene:
        file = scene.folder / "a.txt"
        file.write_text("saved one\n")
        ask: JsonObject = {"approval": {"edit": "ask"}}
        approves: JsonObject = {**APPLIES, "experimental": {"perdure": {"approve": True}}}
        async with scene.server(settings=ask, capabilities=approves) as client:
            client.on_request("perdure/approve", lambda _: {"decision": "deny"})
            Editor(client, file, "unsaved one\n")
            await scene.talk(client, "go")
            [asked] = client.requests["perdure/approve"]
        assert asked["preview"] == {
            "uri": file.as_uri(),
            "before": "unsaved one\n",
            "after": "unsaved ONE\n",
        }


async def test_a_kill_between_the_request_and_its_answer(tmp_path: Path) -> None:
    with scene_at(tmp_path, _calls(EDIT)) as scene:
        file = scene.folder / "a.txt"
        file.write_text("saved one\n")
        async with scene.server(capabilities=APPLIES) as client:
            Editor(client, file, "unsaved one\n")
            client.on_request("workspace/applyEdit", lambda _: client.kill())
            await client.command("prompt", text="go")
            await client.wait(timeout=20)
        async with scene.server(capabilities=APPLIES) as client:
            Editor(client, file, "unsaved ONE\n")
            await client.until("perdure/status", lambda status: status["state"] == "idle")
            assert client.requests["workspace/applyEdit"] == []
        assert scene.names().count("tool:interrupted") == 1
        assert file.read_text() == "saved one\n"
