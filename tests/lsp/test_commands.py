"""Commands: arguments, folders, cancelling, errors."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.support.lsp_client import TRIVIAL, start_server, workspace
from tests.support.notes import noted, notes

from perdure.cli.lsp_client import LspClient, RpcError
from perdure.json_types import JsonValue

pytestmark = [pytest.mark.process, pytest.mark.asyncio]


async def _execute(client: LspClient, command: str, *arguments: JsonValue) -> RpcError:
    params: JsonValue = {"command": command, "arguments": list(arguments)}
    with pytest.raises(RpcError) as caught:
        await client.request("workspace/executeCommand", params)
    return caught.value


@pytest.mark.hazard("$/cancelRequest answers while the effect runs on")
async def test_what_changes_something_answers_with_its_result_though_cancelled(
    tmp_path: Path,
) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([folder])
        request_id, answer = client.begin_command("prompt", text="sleep 0.5")
        await noted(folder, "begin")
        client.notify("$/cancelRequest", {"id": request_id})
        assert (await answer)["operationId"] == "o1"
        assert "end" in notes(folder)


async def test_cancelling_before_a_command_begins_leaves_no_effect(tmp_path: Path) -> None:
    """Whichever of the two the server sees first, answer and effect agree."""
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([folder])
        answers = []
        for number in range(30):
            request_id, answer = client.begin_command("prompt", text=f"note {number}")
            client.notify("$/cancelRequest", {"id": request_id})
            answers.append(answer)
        results = await asyncio.gather(*answers, return_exceptions=True)
        for number, result in enumerate(results):
            cancelled = isinstance(result, RpcError) and result.code == -32800
            assert (f"noted {number}" in notes(folder)) is not cancelled


async def test_cancelling_a_wait_ends_it(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([folder])
        request_id, answer = client.begin_command("wait")
        await client.command("status")
        client.notify("$/cancelRequest", {"id": request_id})
        with pytest.raises(RpcError) as cancelled:
            await answer
        assert cancelled.value.code == -32800
        await noted(folder, "wait cancelled")


@pytest.mark.hazard("with 16 busy threads the next command was not answered")
async def test_commands_do_not_wait_for_each_other(tmp_path: Path) -> None:
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([workspace(tmp_path)])
        slow = [client.begin_command("prompt", text="sleep 60")[1] for _ in range(40)]
        assert (await client.command("status"))["state"] == "idle"
        assert not any(answer.done() for answer in slow)


async def test_wrong_arguments_are_named_with_their_path(tmp_path: Path) -> None:
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([workspace(tmp_path)])
        wrong = await _execute(client, "perdure.prompt", {"text": 5})
        assert (wrong.code, wrong.data) == (-32602, {"code": "invalid_params"})
        assert "arguments[0].text should be a string" in wrong.message
        unknown = await _execute(client, "perdure.fly")
        assert (unknown.code, unknown.data) == (-32602, {"code": "invalid_params"})


async def test_the_argument_may_be_left_out_and_unknown_keys_are_ignored(tmp_path: Path) -> None:
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([workspace(tmp_path)])
        absent = await client.request("workspace/executeCommand", {"command": "perdure.status"})
        assert absent == await client.command("status", future=1, workspaceFolder=None)


async def test_a_command_picks_its_folder(tmp_path: Path) -> None:
    one, two = workspace(tmp_path, "one"), workspace(tmp_path, "two ü")
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([one, two])
        unclear = await _execute(client, "perdure.status", {})
        assert one.as_uri() in unclear.message
        unknown = await _execute(client, "perdure.status", {"workspaceFolder": "file:///three"})
        assert unknown.data == {"code": "invalid_params"}
        for spelling in (two.as_uri(), f"file://{two}/", two.as_uri().replace("two", "%74wo")):
            status = await client.command("status", workspaceFolder=spelling)
            assert status["environmentIdentity"] == str(two)


async def test_commands_wait_for_the_first_plan(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    environ = {"TRIVIAL_START": "0.5"}
    async with start_server(tmp_path, command=TRIVIAL, environ=environ) as client:
        await client.initialize([folder])
        await client.command("status")
        assert "started" in notes(folder)


async def test_busy_carries_the_status(tmp_path: Path) -> None:
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([workspace(tmp_path)])
        error = await _execute(client, "perdure.resume", {})
        assert error.data["code"] == "busy"
        assert error.data["status"] == await client.command("status")


async def test_a_fault_of_the_program_is_an_answer_and_a_log_entry(tmp_path: Path) -> None:
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([workspace(tmp_path)])
        error = await _execute(client, "perdure.compact", {})
        assert (error.code, error.data) == (-32603, {"code": "internal_error"})
        assert client.notifications["window/showMessage"] == []
        assert await client.shutdown() == 0
    assert "a fault of the program" in (tmp_path / "stderr.txt").read_text()


async def test_without_a_folder_commands_say_so(tmp_path: Path) -> None:
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize(
            [], workspaceFolders=[{"uri": "vscode-vfs://github/a/b", "name": "b"}]
        )
        error = await _execute(client, "perdure.prompt", {"text": "hello"})
        assert error.data == {"code": "invalid_params"}
        assert "No workspace folder is open" in error.message


async def test_a_root_uri_is_a_folder(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([], workspaceFolders=None, rootUri=folder.as_uri())
        assert (await client.command("status"))["environmentIdentity"] == str(folder)


@pytest.mark.hazard("A print() in any tool or dependency: the protocol stream stays clean")
async def test_prints_and_children_do_not_touch_the_stream(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([folder])
        printing = client.begin_command("prompt", text="print")[1]
        for _ in range(20):
            await client.command("status")
        await printing
        assert "child read 0" in notes(folder)
    log = (tmp_path / "stderr.txt").read_text()
    assert "printed by Python" in log
    assert "printed by a child" in log


async def test_folders_come_and_go(tmp_path: Path) -> None:
    one, two = workspace(tmp_path, "one"), workspace(tmp_path, "two")
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([one])
        await client.command("status")
        change: JsonValue = {
            "added": [{"uri": two.as_uri(), "name": "two"}],
            "removed": [{"uri": one.as_uri(), "name": "one"}],
        }
        client.notify("workspace/didChangeWorkspaceFolders", {"event": change})
        await noted(one, "closed")
        assert (await client.command("status"))["environmentIdentity"] == str(two)
