"""A session is a document: what a client reads of it with standard requests alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.lsp_client import start_server, workspace
from tests.support.model_replies import by_turn, calls_reply, hang_reply, text_reply
from tests.support.scene import Scene, scene_at, wait_state
from tests.support.transcript_reader import Reader

from perdure.agent.session_facts import session_facts
from perdure.agent.transcript import transcript_of
from perdure.cli.lsp_client import LspClient, RpcError
from perdure.core.reducer import Reduced, reduce_session
from perdure.json_types import JsonValue

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

WORK = by_turn(
    calls_reply(("bash", {"command": "echo hi; exit 3"}), ("read", {"path": "ü.txt"})),
    text_reply("It is done."),
)


def rendered(path: Path) -> str:
    """The document of a session file, rendered here."""
    data = path.read_bytes()
    result = reduce_session(data)
    assert isinstance(result, Reduced)
    return transcript_of(result.state.header, session_facts(data)).text


async def reader_of(client: LspClient) -> Reader:
    """A reader of the session that the client's server works on."""
    status = await client.command("status")
    return Reader(client, f"perdure:/{status['sessionId']}.md")


async def _refused(client: LspClient, method: str, params: JsonValue) -> RpcError:
    with pytest.raises(RpcError) as caught:
        await client.request(method, params)
    return caught.value


async def test_the_capabilities_are_declared(tmp_path: Path) -> None:
    async with start_server(tmp_path) as client:
        result = await client.initialize([workspace(tmp_path)])
        declared = result["capabilities"]
        assert declared["workspace"]["textDocumentContent"] == {"schemes": ["perdure"]}
        for feature in ("codeLens", "hover", "documentSymbol", "foldingRange", "documentLink"):
            assert declared[f"{feature}Provider"] is not None
        assert "perdure.showLog" in declared["executeCommandProvider"]["commands"]


async def test_a_finished_run_is_read_by_standard_requests(tmp_path: Path) -> None:
    with scene_at(tmp_path, WORK) as scene:
        (scene.folder / "ü.txt").write_text("content\n")
        async with scene.server() as client:
            await scene.talk(client, "Please do it.")
            reader = await reader_of(client)
            lines = await reader.lines()
            assert await reader.text() == rendered(scene.session_file())
            assert await Reader(client, reader.uri.replace(":/", ":///")).lines() == lines
            await _check_views(reader, lines, scene)
            assert set(await reader.lenses()) == {"Compact", "Show log"}


async def _check_views(reader: Reader, lines: list[str], scene: Scene) -> None:
    [symbol] = await reader.symbols()
    assert (symbol["name"], symbol["detail"]) == ("Please do it.", "completed")
    heading = symbol["selectionRange"]["start"]["line"]
    assert lines[heading].startswith("## 1. Prompt")
    output = lines.index("hi")
    assert any(first < output < last for first, last in await reader.folds() if first > heading)
    [link] = await reader.links()
    assert link["target"] == (scene.folder / "ü.txt").as_uri()
    place = link["range"]
    shown = lines[place["start"]["line"]]
    assert shown[place["start"]["character"] : place["end"]["character"]] == "`ü.txt`"
    told = await reader.hover(output)
    assert "- Replay policy: `never`: never repeated" in told
    assert "- Exit status: exited with code 3" in told
    assert await reader.hover(heading) == ""


async def test_a_blocked_run_is_marked_at_its_heading_and_ended_from_there(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one"), hang_reply()]) as scene:
        async with scene.server() as client:
            await scene.talk(client, "first")
            await client.command("prompt", text="second")
            scene.model.wait_for_requests(2)
            client.kill()
        async with scene.server(settings={"model": {"name": "another"}}) as client:
            shown = await client.until("textDocument/publishDiagnostics", lambda _: True)
            [diagnostic] = shown["diagnostics"]
            reader = await reader_of(client)
            assert shown["uri"] == reader.uri
            line = diagnostic["range"]["start"]["line"]
            assert (await reader.lines())[line].startswith("## 2. Prompt")
            lenses = await reader.lenses()
            assert set(lenses) >= {"Resume", "Abort", "Show log"}
            assert lenses["Resume"][0] == lenses["Abort"][0] == line
            assert (await reader.press("Resume"))["outcome"] == "blocked"
            assert (await reader.press("Abort"))["outcome"] == "aborted"
            assert [symbol["detail"] for symbol in await reader.symbols()] == [
                "completed",
                "aborted",
            ]
            assert set(await reader.lenses()) == {"Compact", "Show log"}


async def test_a_suspended_run_can_be_resumed_from_its_document(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("after all")]) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            scene.model.wait_for_requests(1)
            assert set(await (await reader_of(client)).lenses()) == {"Abort", "Show log"}
            client.kill()
        async with scene.server(settings={"resume": "never"}) as client:
            reader = await reader_of(client)
            assert set(await reader.lenses()) == {"Resume", "Abort", "Show log"}
            assert (await reader.press("Resume"))["outcome"] == "resumed"
            await wait_state(client, "idle")
            assert "> after all" in await reader.text()


async def test_a_session_that_is_not_open_is_read_from_disk(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one"), text_reply("two")]) as scene:
        async with scene.server() as client:
            await scene.talk(client, "one")
            before = scene.digest()
            old = await reader_of(client)
            await client.command("newSession")
            assert await old.text() == rendered(scene.session_files()[0])
            assert set(await old.lenses()) == {"Compact", "Show log"}
            new = await reader_of(client)
            assert new.uri != old.uri
            assert set(await new.lenses()) == {"Show log"}
        async with scene.server() as client:
            assert await Reader(client, old.uri).text() == rendered(scene.session_files()[0])
        assert before == _digest_of_first(scene)


def _digest_of_first(scene: Scene) -> str:
    first, second = scene.session_files()
    second.unlink()
    assert scene.session_file() == first
    return scene.digest()


async def test_the_log_is_shown_where_the_client_opens_files(tmp_path: Path) -> None:
    able = {"window": {"showDocument": {"support": True}}}
    with scene_at(tmp_path, [text_reply("one")]) as scene:
        async with scene.server() as client:
            await scene.talk(client, "one")
            uri = scene.session_file().as_uri()
            reader = await reader_of(client)
            assert await reader.press("Show log") == {"uri": uri, "shown": False}
        async with scene.server(capabilities=able) as client:  # type: ignore[arg-type]
            client.on_request("window/showDocument", lambda _: {"success": True})
            assert await client.command("showLog") == {"uri": uri, "shown": True}
            [asked] = client.requests["window/showDocument"]
            assert asked["uri"] == uri


async def test_what_is_no_document_is_refused_and_other_documents_are_left_alone(
    tmp_path: Path,
) -> None:
    unknown = "perdure:/018f0000-0000-7000-8000-000000000001.md"
    content, transcript = "workspace/textDocumentContent", "perdure/transcript"
    async with start_server(tmp_path) as client:
        await client.initialize([workspace(tmp_path)])
        missing = await _refused(client, content, {"uri": unknown})
        assert missing.data == {"code": "not_found"}
        for uri in ("file:///x.md", "perdure:/not-an-id.md"):
            error = await _refused(client, content, {"uri": uri})
            assert error.data == {"code": "invalid_params"}
        wrong = await _refused(client, transcript, {"uri": 5})
        assert (wrong.code, wrong.message) == (-32602, "params.uri should be a string.")
        assert (await _refused(client, transcript, None)).code == -32602
        for uri in (unknown, "file:///x.py", "untitled:1"):
            reader = Reader(client, uri)
            answers = [await reader.symbols(), await reader.folds(), await reader.links()]
            assert answers == [[], [], []]
            assert (await reader.lenses(), await reader.hover(0)) == ({}, "")


@pytest.mark.hazard("line 60 damaged: never opens as a shorter session; says so")
async def test_a_damaged_session_says_so_where_it_is_read(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one")]) as scene:
        async with scene.server() as client:
            await scene.talk(client, "one")
            reader = await reader_of(client)
        path = scene.session_file()
        path.write_bytes(path.read_bytes().replace(b'"seq":3', b'"seq":9'))
        async with scene.server() as client:
            told = await _text_or_refusal(client, reader.uri)
            assert "is damaged at line 3, byte " in told
            assert ": SEQ_MISMATCH." in told
            path.write_bytes(b"{}\n")
            assert "is damaged at line 1, byte 0" in await _text_or_refusal(client, reader.uri)


async def _text_or_refusal(client: LspClient, uri: str) -> str:
    try:
        return await Reader(client, uri).text()
    except RpcError as error:
        return f"{error.data['code']}: {error.message}"
