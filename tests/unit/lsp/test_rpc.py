"""The corrections of pygls' protocol that cannot be seen from outside."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from perdure.json_types import JsonValue
from perdure.lsp.outbox import Outbox
from perdure.lsp.server import Server

pytestmark = pytest.mark.asyncio

DOCUMENT: JsonValue = {"uri": "file:///work/a", "languageId": "x", "version": 1, "text": ""}


def _bodies(messages: int) -> Iterator[bytes]:
    yield _body("initialize", {"capabilities": {}}, msg_id=1)
    yield _body("initialized", {})
    yield _body("textDocument/didOpen", {"textDocument": DOCUMENT})
    for version in range(messages):
        identifier: JsonValue = {"uri": "file:///work/a", "version": version}
        changes: JsonValue = [{"text": str(version)}]
        params: JsonValue = {"textDocument": identifier, "contentChanges": changes}
        yield _body("textDocument/didChange", params)
        yield _body("textDocument/didSave", {"textDocument": identifier})
        yield _body("workspace/executeCommand", {"command": "perdure.status"}, msg_id=version + 2)


def _body(method: str, params: JsonValue, msg_id: int | None = None) -> bytes:
    message: dict[str, JsonValue] = {"jsonrpc": "2.0", "method": method, "params": params}
    if msg_id is not None:
        message["id"] = msg_id
    return json.dumps(message).encode()


@pytest.mark.hazard("one future leaks per didChange")
async def test_no_future_is_kept_for_what_is_done() -> None:
    written = bytearray()

    def write(data: memoryview) -> int:
        written.extend(data)
        return len(data)

    server = Server(environ={})
    server.protocol.connect(Outbox(write, on_dead=pytest.fail))
    for body in _bodies(50):
        server.protocol.receive(body)
        await asyncio.sleep(0)
    async with asyncio.timeout(60):
        while written.count(b"Content-Length") < 51:  # noqa: ASYNC110  (written by a thread)
            await asyncio.sleep(0.01)
    assert not server.protocol._request_futures
    shown = await server.buffers.find(Path("/work/a"))
    assert shown is not None
    assert (shown.version, shown.text) == (49, "49")
