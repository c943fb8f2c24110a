"""What the server sends by itself: status, deltas, facts, diagnostics, progress."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.support.lsp_client import TRIVIAL, start_server, workspace
from tests.support.notes import noted
from tests.support.trivial_deeds import BLOCKED

from perdure.json_types import JsonObject, JsonValue

pytestmark = [pytest.mark.process, pytest.mark.asyncio]


@pytest.mark.hazard("5000 chunks in 5 s: batched to 20 updates a second")
async def test_deltas_are_merged_and_none_is_lost(tmp_path: Path) -> None:
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([workspace(tmp_path)])
        begin = time.monotonic()
        await client.command("prompt", text="deltas 1000")
        await client.until("perdure/delta", lambda params: params["text"].endswith("999 "))
        seconds = time.monotonic() - begin
        texts = [params["text"] for params in client.notifications["perdure/delta"]]
    assert "".join(texts) == "".join(f"{number} " for number in range(1000))
    assert len(texts) <= 20 * seconds + 1


@pytest.mark.hazard("A client that stops reading stdout blocks the loop")
async def test_a_client_that_stops_reading_stops_nothing(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([folder])
        await client.command("status")
        client.stop_reading()
        client.begin_command("prompt", text="flood 200")
        client.begin_command("abort", reason="stalled")
        await noted(folder, "flooded")
        await noted(folder, "abort stalled")
        client.go_on_reading()
        await client.until("perdure/committed", lambda params: params["facts"][0]["seq"] == 199)
        sequence = [
            params["facts"][0]["seq"] for params in client.notifications["perdure/committed"]
        ]
        assert sequence == list(range(200))
        assert len(client.notifications["perdure/delta"]) < 100
        assert len(client.notifications["perdure/status"]) < 100
        assert (await client.command("status"))["state"] == "idle"


async def test_no_delta_comes_after_the_fact_that_settles_it(tmp_path: Path) -> None:
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([workspace(tmp_path)])
        await client.command("prompt", text="flood 3")
        sent = [method for method in client.order if method != "perdure/status"]
    assert sent == ["perdure/delta", "perdure/committed"] * 3


async def test_what_is_blocked_is_a_diagnostic_with_actions(tmp_path: Path) -> None:
    uri = "perdure:/s1.md"
    everywhere: JsonValue = {"line": 0, "character": 0}
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([workspace(tmp_path)])
        await client.command("prompt", text="block")
        shown = await client.until("textDocument/publishDiagnostics", lambda params: True)
        assert shown["uri"] == uri
        [diagnostic] = shown["diagnostics"]
        assert (diagnostic["source"], diagnostic["code"]) == ("perdure", BLOCKED["code"])
        assert diagnostic["message"].splitlines() == [BLOCKED["title"], "model: a → b"]
        request: JsonObject = {
            "textDocument": {"uri": "perdure:///s1.md"},
            "range": {"start": everywhere, "end": everywhere},
            "context": {"diagnostics": []},
        }
        [action] = await client.request("textDocument/codeAction", request)
        assert action["kind"] == "quickfix"
        assert action["command"] == BLOCKED["actions"][0]
        await client.command("prompt", text="unblock")
        await client.until(
            "textDocument/publishDiagnostics", lambda params: not params["diagnostics"]
        )
        assert await client.request("textDocument/codeAction", request) == []
        assert len(client.notifications["textDocument/publishDiagnostics"]) == 2


async def test_cancelling_the_progress_reaches_the_operation(tmp_path: Path) -> None:
    async with start_server(tmp_path, command=TRIVIAL) as client:
        client.on_request("window/workDoneProgress/create", lambda params: None)
        await client.initialize(
            [workspace(tmp_path)], capabilities={"window": {"workDoneProgress": True}}
        )
        working = client.begin_command("prompt", text="progress")[1]
        begun = await client.until("$/progress", lambda params: params["value"]["kind"] == "begin")
        assert begun["value"] == {"kind": "begin", "title": "Working", "cancellable": True}
        client.notify("window/workDoneProgress/cancel", {"token": "another"})
        client.notify("window/workDoneProgress/cancel", {"token": begun["token"]})
        await working
        await client.until("$/progress", lambda params: params["value"]["kind"] == "end")
        kinds = [params["value"]["kind"] for params in client.notifications["$/progress"]]
        assert kinds == ["begin", "report", "end"]


async def test_a_client_without_progress_is_not_bothered(tmp_path: Path) -> None:
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([workspace(tmp_path)])
        client.begin_command("prompt", text="progress")
        await client.command("status")
        assert client.requests == {}


async def test_the_status_is_published_when_it_changes(tmp_path: Path) -> None:
    async with start_server(tmp_path, command=TRIVIAL) as client:
        await client.initialize([workspace(tmp_path)])
        first = await client.until("perdure/status", lambda params: True)
        assert first == await client.command("status")
        await client.command("prompt", text="block")
        await client.command("prompt", text="unblock")
        states = [params["state"] for params in client.notifications["perdure/status"]]
        assert states == ["idle", "blocked", "idle"]
