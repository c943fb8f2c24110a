"""How a client hears that a session's document has changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lsp.test_transcript_documents import reader_of, rendered
from tests.support.model_replies import hang_reply, text_reply
from tests.support.scene import scene_at, wait_state
from tests.support.transcript_reader import Reader

from perdure.cli.lsp_client import LspClient

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

REFRESH = "workspace/textDocumentContent/refresh"


async def _until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def _accepts_refresh(client: LspClient) -> None:
    client.on_request(REFRESH, lambda _: None)
    client.on_request("workspace/codeLens/refresh", lambda _: None)


async def test_commits_refresh_the_documents_that_are_shown(tmp_path: Path) -> None:
    lenses = {"workspace": {"codeLens": {"refreshSupport": True}}}
    with scene_at(tmp_path, [text_reply("one"), text_reply("two"), text_reply("three")]) as scene:
        async with scene.server(capabilities=lenses) as client:  # type: ignore[arg-type]
            _accepts_refresh(client)
            await scene.talk(client, "first")
            assert client.requests[REFRESH] == []
            reader = await reader_of(client)
            await reader.text()
            await scene.talk(client, "second")
            await _until(lambda: client.requests[REFRESH])
            assert client.requests[REFRESH][0] == {"uri": reader.uri}
            assert client.requests["workspace/codeLens/refresh"]
            assert await reader.text() == rendered(scene.session_file())
            client.notify("textDocument/didClose", {"textDocument": {"uri": reader.uri}})
            await client.command("status")
            told = len(client.requests[REFRESH])
            await scene.talk(client, "third")
            await asyncio.sleep(0.6)
            assert len(client.requests[REFRESH]) == told


async def test_the_last_change_is_told_however_fast_they_come(tmp_path: Path) -> None:
    replies = [text_reply(f"answer {number}") for number in range(6)]
    with scene_at(tmp_path, replies) as scene:
        async with scene.server() as client:
            await scene.talk(client, "0")
            reader = await reader_of(client)
            texts = [await reader.text()]

            async def refresh(_: object) -> None:
                texts.append(await reader.text())

            client.on_request(REFRESH, refresh)
            await scene.talk(client, "1", "2", "3", "4", "5")
            await _until(lambda: texts[-1] == rendered(scene.session_file()))
            assert texts[-1].count("*Completed") == 6


async def test_a_client_without_documents_asks_by_our_own_request(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one"), text_reply("two")]) as scene:
        async with scene.server() as client:
            await scene.talk(client, "first")
            reader = await reader_of(client)
            asked = {"uri": reader.uri}
            result = await client.request("perdure/transcript", asked)  # type: ignore[arg-type]
            assert result == {"text": rendered(scene.session_file())}
            await scene.talk(client, "second")
            changed = await client.until("perdure/transcriptChanged", lambda _: True)
            assert changed == asked
            assert client.requests[REFRESH] == []


async def test_a_session_in_use_elsewhere_is_followed(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one"), hang_reply()]) as scene:
        async with scene.server() as first:
            await scene.talk(first, "first")
            async with scene.server() as second:
                await wait_state(second, "unavailable")
                _accepts_refresh(second)
                reader = Reader(second, (await reader_of(first)).uri)
                assert await reader.text() == rendered(scene.session_file())
                assert set(await reader.lenses()) >= {"Try again", "Show log"}
                await first.command("prompt", text="second")
                scene.model.wait_for_requests(2)
                await _until(lambda: second.requests[REFRESH])
                assert "> second" in await reader.text()
