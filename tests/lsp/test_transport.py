"""The stream between client and server: frames, JSON-RPC, what is malformed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.support.lsp_client import start_server, workspace

from perdure.cli.lsp_client import LspClient, RpcError
from perdure.json_types import JsonValue
from perdure.protocol.methods import COMMANDS

pytestmark = [pytest.mark.process, pytest.mark.asyncio]


async def _error(client: LspClient, method: str, params: JsonValue) -> RpcError:
    with pytest.raises(RpcError) as caught:
        await asyncio.wait_for(client.request(method, params), 10)
    return caught.value


async def _is_alive(client: LspClient) -> bool:
    return (await _error(client, "perdure/nothing", {})).code == -32601


async def test_the_server_says_what_it_can_do(tmp_path: Path) -> None:
    async with start_server(tmp_path) as client:
        result = await client.initialize()
        capabilities = result["capabilities"]
        assert result["serverInfo"]["name"] == "perdure"
        commands = set(capabilities["executeCommandProvider"]["commands"])
        assert commands == {command.name for command in COMMANDS}
        assert capabilities["textDocumentSync"]["change"] == 2
        assert capabilities["workspace"]["workspaceFolders"]["changeNotifications"] is True


async def test_requests_before_initialize_are_refused(tmp_path: Path) -> None:
    async with start_server(tmp_path) as client:
        error = await _error(client, "workspace/executeCommand", {"command": "perdure.status"})
        assert error.code == -32002
        await client.initialize()
        again = await _error(client, "initialize", {"capabilities": {}})
        assert again.code == -32600


@pytest.mark.hazard("a typed request with wrong params is never answered")
async def test_malformed_params_are_answered_with_their_path(tmp_path: Path) -> None:
    async with start_server(tmp_path) as client:
        await client.initialize()
        error = await _error(
            client,
            "textDocument/codeAction",
            {"textDocument": {"uri": 5}, "range": "everything", "context": {"diagnostics": []}},
        )
        assert error.code == -32602
        assert "message.params.range" in error.message
        missing = await _error(client, "workspace/executeCommand", None)
        assert (missing.code, missing.data["code"]) == (-32602, "invalid_params")
        client.notify("textDocument/didOpen", {"textDocument": 7})
        assert await _is_alive(client)


@pytest.mark.hazard('any request with a nested "jsonrpc" key is never answered')
async def test_a_message_inside_params_stays_data(tmp_path: Path) -> None:
    inner: JsonValue = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": 5}
    async with start_server(tmp_path) as client:
        await client.initialize()
        assert (await _error(client, "perdure/nothing", {"message": inner})).code == -32601
        command: JsonValue = {"command": "perdure.status", "arguments": [inner]}
        error = await _error(client, "workspace/executeCommand", command)
        assert "No workspace folder" in error.message


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"\xff", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"x"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"shutdown"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"shutdown"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"shutdown"}', -32600),
        (b'{"jsonrpc":"2.0","id":[1],"method":"exit"}', -32600),
    ],
)
async def test_what_is_no_message_is_refused_and_the_stream_goes_on(
    tmp_path: Path, body: bytes, code: int
) -> None:
    async with start_server(tmp_path) as client:
        await client.initialize()
        client.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        refused = await client.unmatched(timeout=10)
        assert (refused["id"], refused["error"]["code"]) == (None, code)
        assert await _is_alive(client)


async def test_header_case_further_headers_and_pieces_do_not_matter(tmp_path: Path) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 900, "method": "perdure/nothing"}).encode()
    header = b"content-type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: %d"
    async with start_server(tmp_path) as client:
        await client.initialize()
        for byte in (header % len(body)) + b"\r\n\r\n" + body:
            client.write(bytes([byte]))
            await asyncio.sleep(0)
        assert (await client.unmatched(timeout=10))["id"] == 900


async def test_a_stream_without_frames_ends_the_server(tmp_path: Path) -> None:
    async with start_server(tmp_path) as client:
        client.write(b"hello\r\n\r\n")
        assert await client.wait() == 1


@pytest.mark.hazard("INFO logging of pygls prints whole message bodies, keys included")
async def test_bodies_are_not_logged(tmp_path: Path) -> None:
    async with start_server(tmp_path) as client:
        await client.initialize(settings={"apiKey": "sk-secret", "model": {"name": 1}})
        client.notify("workspace/didChangeConfiguration", {"settings": {"key": "sk-secret"}})
        assert await _is_alive(client)
        assert await client.shutdown() == 0
    log = (tmp_path / "stderr.txt").read_text()
    assert "sk-secret" not in log
    assert len(log) < 2000


@pytest.mark.hazard("untitled:, git:, notebook URIs, no workspace folder: no crash")
@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "git:/work/a.py?%7B%22ref%22%3A%22HEAD%22%7D",
        "vscode-notebook-cell:/work/a.ipynb#W0sZmlsZQ%3D%3D",
        "file:///c%3A/P/a.py",
        "file://host/share/a.py",
        "file://[",
        "",
    ],
)
async def test_documents_of_any_scheme_are_accepted(tmp_path: Path, uri: str) -> None:
    async with start_server(tmp_path) as client:
        await client.initialize([workspace(tmp_path)])
        document: JsonValue = {"uri": uri, "languageId": "x", "version": 1, "text": "a\nb\n"}
        changed: JsonValue = {"uri": uri, "version": 2}
        client.notify("textDocument/didOpen", {"textDocument": document})
        change: JsonValue = {"text": "whole"}
        client.notify(
            "textDocument/didChange", {"textDocument": changed, "contentChanges": [change]}
        )
        client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        assert await _is_alive(client)
        assert client.notifications["window/showMessage"] == []


async def test_a_large_message_comes_through(tmp_path: Path) -> None:
    async with start_server(tmp_path) as client:
        await client.initialize()
        assert (await _error(client, "perdure/nothing", {"text": "x" * 10_000_000})).code == -32601
