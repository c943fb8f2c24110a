"""Compaction through a real server: by command, by threshold, and when it is cut short."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.blocked import assert_blocked
from tests.support.model_replies import error_reply, hang_reply, text_reply
from tests.support.scene import Scene, messages_of, scene_at, summarising, wait_state
from tests.support.wire import sha256

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

SMALL_WINDOW: JsonObject = {"model": {"contextWindow": 1000}}
PROMPTS = ("one", "two", "three", "four")


async def _compact(client: LspClient) -> None:
    assert (await client.command("compact"))["outcome"] == "started"
    await wait_state(client, "idle")


def _contents(body: JsonObject) -> list[Any]:
    return [message["content"] for message in messages_of(body)]


@pytest.mark.requirement(16, 17, 113, 114, 115, 116, 117, 118, 119, 120, 122, 123, 135)
async def test_summary_and_tail_take_the_place_of_history(tmp_path: Path) -> None:
    replies = summarising(text_reply("what happened"), text_reply("fine"))
    with scene_at(tmp_path, replies) as scene:
        async with scene.server() as client:
            await scene.talk(client, *PROMPTS)
            before = scene.session_file().read_bytes()
            await _compact(client)
            assert scene.session_file().read_bytes().startswith(before)
            assert scene.names()[-5:] == [
                "compactionStarted",
                "stepAttempt",
                "usage",
                "compaction",
                "operationFinished:completed",
            ]
            summary_request = scene.model.requests[-1].body
            assert "tools" not in summary_request
            assert "one" in _contents(summary_request)[0]
            await scene.talk(client, "five")
            tail = ["two", "fine", "three", "fine", "four", "fine"]
            head = "[Compacted history]\nwhat happened"
            assert _contents(scene.model.requests[-1].body) == [head, *tail, "five"]
            await _compact(client)
            assert "what happened" in _contents(scene.model.requests[-1].body)[0]
        _assert_partitions(scene)
        async with scene.server() as client:
            await scene.talk(client, "six")
        after = _contents(scene.model.requests[-1].body)
        assert after[0] == head
        assert after[1:] == ["three", "fine", "four", "fine", "five", "fine", "six"]


def _assert_partitions(scene: Scene) -> None:
    """Recompute partition, digest and tail of every compaction from the file."""
    sources = [
        (fact["seq"], fact["id"], fact["entry"]["message"])
        for fact in scene.facts()
        if fact["kind"] == "entry" and fact["entry"]["type"] == "message"
    ]
    entries = scene.named("compaction")
    for started, entry in zip(scene.named("compactionStarted"), entries, strict=True):
        record = started["record"]
        known = [source for source in sources if source[0] < started["seq"]]
        ids = [*record["compactedEntryIds"], *record["retainedEntryIds"]]
        assert ids == [source_id for _, source_id, _ in known]
        pairs = [{"sourceEntryId": i, "message": message} for _, i, message in known]
        assert record["sourceDigest"] == sha256([*pairs])
        tail = entry["entry"]["retainedTail"]
        assert tail == pairs[len(record["compactedEntryIds"]) :]
        assert len(tail) >= 6
        assert tail[0]["message"]["role"] == "user"


@pytest.mark.requirement(117)
async def test_nothing_to_compact(tmp_path: Path) -> None:
    with scene_at(tmp_path, lambda *_: text_reply("fine")) as scene:
        async with scene.server() as client:
            assert (await client.command("compact"))["outcome"] == "nothing_to_compact"
            await scene.talk(client, "one", "two", "three")
            before = scene.digest()
            assert (await client.command("compact"))["outcome"] == "nothing_to_compact"
            assert (scene.digest(), scene.model.count) == (before, 3)


@pytest.mark.hazard("Window unknown: manual only, and say so")
async def test_by_threshold_between_two_runs(tmp_path: Path) -> None:
    replies = summarising(text_reply("short"), text_reply("fine", usage=(5000, 10)))
    with scene_at(tmp_path, replies) as scene:
        async with scene.server() as client:
            await scene.talk(client, *PROMPTS)
            assert "compactionStarted" not in scene.names()
            await client.until("window/showMessage", bool)
            (told,) = client.notifications["window/showMessage"]
            assert "context window is unknown" in told["message"]
        async with scene.server(settings=SMALL_WINDOW) as client:
            status = await client.command("status")
            assert status["usage"]["contextTokens"] == 5010
            await scene.talk(client, "five")
            await scene.until_fact(client, "compaction")
            status = await wait_state(client, "idle")
            assert status["usage"]["contextTokens"] is None


@pytest.mark.hazard("System prompt and tools alone fill 90 % of the window")
async def test_a_compaction_that_does_not_help_is_not_repeated(tmp_path: Path) -> None:
    """Not after reopening either: the log tells that it did not help."""
    replies = summarising(text_reply("short"), text_reply("fine", usage=(900, 10)))
    with scene_at(tmp_path, replies) as scene:
        async with scene.server(settings=SMALL_WINDOW) as client:
            await scene.talk(client, "one")
            told = await client.until("window/showMessage", bool)
            assert "nearly full" in told["message"]
            await scene.talk(client, "two", "three", "four")
            await scene.until_fact(client, "compaction")
            await wait_state(client, "idle")
            await scene.talk(client, "five", "six")
            assert len(client.notifications["window/showMessage"]) == 1
        async with scene.server(settings=SMALL_WINDOW) as client:
            await scene.talk(client, "seven", "eight")
            told = await client.until("window/showMessage", bool)
            assert "compacting does not help" in told["message"]
        assert scene.names().count("compactionStarted") == 1


@pytest.mark.hazard("A compaction input larger than the window is bounded, not sent whole")
async def test_a_summary_request_fits_into_the_window(tmp_path: Path) -> None:
    replies = summarising(text_reply("short"), text_reply("fine"))
    with scene_at(tmp_path, replies) as scene:
        async with scene.server(settings=SMALL_WINDOW) as client:
            await scene.talk(client, "begin " + "漢字" * 3000, *PROMPTS)
            await _compact(client)
        *_, sent = _contents(scene.model.requests[-1].body)
        assert len(sent.encode()) < 3 * 1000
        assert sent.startswith('[{"role":"user","content":"begin 漢字')
        assert "bytes left out" in sent
        assert sent.endswith("]")
        assert "\ufffd" not in sent


@pytest.mark.hazard("at most one compaction call, then a clear message; no loop")
async def test_a_compaction_that_fails_is_not_started_again_by_itself(tmp_path: Path) -> None:
    replies = summarising(error_reply(500, "broken"), text_reply("fine", usage=(900, 10)))
    with scene_at(tmp_path, replies) as scene:
        async with scene.server(settings=SMALL_WINDOW) as client:
            await scene.talk(client, *PROMPTS)
            await scene.until_fact(client, "operationFinished:failed")
            await wait_state(client, "idle")
            await scene.talk(client, "five")
            await scene.until_fact(client, "operationFinished:failed", 2)
            status = await wait_state(client, "idle")
            assert status["usage"]["contextTokens"] == 910
        assert scene.names().count("compactionStarted") == 2


async def test_a_compaction_that_is_aborted_is_not_started_again_by_itself(tmp_path: Path) -> None:
    replies = summarising(hang_reply(), text_reply("fine", usage=(900, 10)))
    with scene_at(tmp_path, replies) as scene:
        async with scene.server(settings=SMALL_WINDOW) as client:
            await scene.talk(client, *PROMPTS)
            await scene.until_fact(client, "compactionStarted")
            assert (await client.command("abort"))["outcome"] == "aborted"
            await client.command("prompt", text="five")
            await scene.until_fact(client, "compactionStarted", 2)
        _, between, _ = ",".join(scene.names()).split("compactionStarted", 2)
        assert between.endswith("operationFinished:completed,")


@pytest.mark.hazard("Empty, null or reasoning-only summary: the operation fails with a reason")
async def test_no_summary_fails_and_the_session_is_usable(tmp_path: Path) -> None:
    with scene_at(tmp_path, summarising(text_reply(" \n"), text_reply("fine"))) as scene:
        async with scene.server() as client:
            await scene.talk(client, *PROMPTS)
            await _compact(client)
            (finished,) = (r for r in scene.records("operationFinished") if "error" in r)
            assert finished["outcome"] == "failed"
            assert finished["error"]["message"]
            await scene.talk(client, "five")
        assert _contents(scene.model.requests[-1].body)[::2] == [*PROMPTS, "five"]


@pytest.mark.requirement(22, 124, 125)
@pytest.mark.hazard("Abort or K9 during compaction: earlier bytes unchanged")
async def test_killed_twice_during_a_compaction(tmp_path: Path) -> None:
    with scene_at(tmp_path, summarising(hang_reply(), text_reply("fine"))) as scene:
        async with scene.server() as client:
            await scene.talk(client, *PROMPTS)
            before = scene.session_file().read_bytes()
            await client.command("compact")
            scene.model.wait_for_requests(5)
            client.kill()
        async with scene.server() as client:
            scene.model.wait_for_requests(6)
            client.kill()
        first, second = (request.body for request in scene.model.requests[-2:])
        assert first == second
        async with scene.server() as client:
            await assert_blocked(scene, client, "attempts_exhausted")
            assert (await client.command("abort"))["outcome"] == "aborted"
            await scene.talk(client, "five")
        assert scene.session_file().read_bytes().startswith(before)
        assert _contents(scene.model.requests[-1].body)[::2] == [*PROMPTS, "five"]


@pytest.mark.requirement(39, 124)
async def test_a_stored_summary_needs_only_its_end(tmp_path: Path) -> None:
    with scene_at(tmp_path, summarising(text_reply("short"), text_reply("fine"))) as scene:
        async with scene.server() as client:
            await scene.talk(client, *PROMPTS)
            await _compact(client)
            assert await client.shutdown() == 0
        scene.cut_after("compaction")
        assert scene.names()[-1] == "compaction"
        async with scene.server() as client:
            await wait_state(client, "idle")
        assert scene.names()[-2:] == ["compaction", "operationFinished:completed"]
        assert scene.model.count == 5
