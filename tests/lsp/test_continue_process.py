"""After a run that failed: Continue, and Compact and continue."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.test_generic_client import take_action, until_diagnostic
from tests.support.model_replies import (
    Reply,
    ReplyFunction,
    calls_reply,
    error_reply,
    hang_reply,
    text_reply,
)
from tests.support.model_server import assert_legal_history
from tests.support.scene import APPROVES, Scene, messages_of, scene_at, summarising, wait_state
from tests.support.transcript_reader import Reader

from perdure.cli.lsp_client import LspClient
from perdure.cli.lsp_connection import RpcError
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

CALL = calls_reply(("bash", {"command": "echo once >> f"}))
SLOW = error_reply(429, "slow down", {"retry-after": "7"})
TOO_LONG = error_reply(400, "This model's maximum context length is 8192 tokens")
PROMPTS = ("one", "two", "three", "four")


def too_long_at_five(summary: Reply) -> ReplyFunction:
    """Fail the prompt "five", answer all others, and summarise with ``summary``."""
    otherwise = summarising(summary, text_reply("fine"))

    def reply(number: int, body: JsonObject) -> Reply:
        is_prompt = "tools" in body and last_text(body) == "five"
        return TOO_LONG if is_prompt else otherwise(number, body)

    return reply


def last_text(body: JsonObject) -> object:
    return messages_of(body)[-1]["content"]


async def talk_and_fail(scene: Scene, client: LspClient) -> Any:  # noqa: ANN401
    """Have a conversation that is long enough to be compacted, and whose last run fails."""
    await scene.talk(client, *PROMPTS, "five")
    return (await client.command("status"))["failed"]


@pytest.mark.hazard("429 with Retry-After after a tool has run")
async def test_continue_after_a_wait_repeats_no_effect(tmp_path: Path) -> None:
    with scene_at(tmp_path, [CALL, SLOW, text_reply("Done.")]) as scene:
        async with scene.server() as client:
            await scene.talk(client, "go")
            failed = (await client.command("status"))["failed"]
            assert "asks to wait 7 s" in failed["message"]
            (action,) = failed["actions"]
            assert re.fullmatch(r"Continue \(wait 7 s, until \d\d:\d\d:\d\d\)", action["title"])
            assert scene.model.count == 2
            await client.command("continue")
            status = await wait_state(client, "idle")
            assert "failed" not in status
        requests = [request.body for request in scene.model.requests]
        assert len(requests) == 3
        assert_legal_history(requests[-1])
        assert last_text(requests[-1]) == "Continue."
        assert scene.text("f") == "once\n"
        assert scene.names()[-1] == "operationFinished:completed"


async def test_any_client_continues_by_code_action_after_reopening(tmp_path: Path) -> None:
    with scene_at(tmp_path, [CALL, SLOW, text_reply("Done.")]) as scene:
        async with scene.server() as client:
            await scene.talk(client, "go")
            client.kill()
        async with scene.server() as client:
            uri, diagnostic = await until_diagnostic(client, "model_error")
            assert "slow down" in diagnostic["message"]
            await take_action(client, uri, diagnostic, "Continue (wait 7 s")
            await client.until(
                "textDocument/publishDiagnostics",
                lambda params: params["uri"] == uri and not params["diagnostics"],
            )
            await wait_state(client, "idle")
        assert scene.text("f") == "once\n"
        assert scene.names()[-1] == "operationFinished:completed"


@pytest.mark.parametrize(
    ("capabilities", "questions"), [({}, ["The run failed: 127.0.0.1"]), (APPROVES, [])]
)
async def test_a_client_without_a_view_of_its_own_is_asked(
    tmp_path: Path, capabilities: JsonObject, questions: list[str]
) -> None:
    with scene_at(tmp_path, [error_reply(500, "x"), text_reply("Done.")]) as scene:
        async with scene.server(capabilities=capabilities, choose="Continue") as client:
            accepted = await client.command("prompt", text="go")
            await scene.until_fact(client, "operationFinished:failed")
            if not questions:
                await Reader(client, f"perdure:/{accepted['sessionId']}.md").press("Continue")
            await scene.until_fact(client, "operationFinished:completed")
            asked = [each["message"] for each in client.requests["window/showMessageRequest"]]
            assert [message[: len("The run failed: 127.0.0.1")] for message in asked] == questions


async def test_without_a_failed_run_there_is_nothing_to_continue(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("fine")]) as scene:
        async with scene.server() as client:
            await assert_nothing_to_continue(client)
            await scene.talk(client, "one")
            await assert_nothing_to_continue(client)
        assert scene.model.count == 1


async def assert_nothing_to_continue(client: LspClient) -> None:
    for command in ("continue", "compactAndContinue"):
        with pytest.raises(RpcError, match="no failed run") as refused:
            await client.command(command)
        assert refused.value.data["code"] == "not_found"


async def test_too_long_is_compacted_and_continued(tmp_path: Path) -> None:
    with scene_at(tmp_path, too_long_at_five(text_reply("what happened"))) as scene:
        async with scene.server() as client:
            failed = await talk_and_fail(scene, client)
            first, second = failed["actions"]
            assert (first["title"], second["title"]) == ("Compact and continue", "Continue")
            command = {"command": first["command"], "arguments": first["arguments"]}
            assert (await client.request("workspace/executeCommand", command))[
                "outcome"
            ] == "started"
            await scene.until_fact(client, "operationFinished:completed", len(PROMPTS) + 2)
            assert "failed" not in await wait_state(client, "idle")
        last = messages_of(scene.model.requests[-1].body)
        assert last[0]["content"] == "[Compacted history]\nwhat happened"
        assert [message["content"] for message in last[-2:]] == ["five", "Continue."]


async def test_killed_in_the_compaction_the_user_is_offered_to_continue(tmp_path: Path) -> None:
    summaries = iter([hang_reply(), text_reply("what happened")])

    def replies(number: int, body: JsonObject) -> Reply:
        summary = text_reply("") if "tools" in body else next(summaries)
        return too_long_at_five(summary)(number, body)

    with scene_at(tmp_path, replies) as scene:
        async with scene.server() as client:
            await talk_and_fail(scene, client)
            await client.command("compactAndContinue")
            scene.model.wait_for_requests(len(PROMPTS) + 2)
            client.kill()
        async with scene.server() as client:
            await scene.until_fact(client, "operationFinished:completed")
            status = await wait_state(client, "idle")
            assert [action["title"] for action in status["failed"]["actions"]] == ["Continue"]
            count = scene.model.count
            await client.command("continue")
            await wait_state(client, "idle")
            assert scene.model.count == count + 1
        assert scene.names()[-1] == "operationFinished:completed"
