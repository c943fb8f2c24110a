"""Conversations of several prompts with parallel calls, killed midway, over both protocols."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.conversation import Conversation, load_conversation
from tests.support.scene import Scene, scene_at, wait_state

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

FOLDER = Path(__file__).with_name("conversations")
LOG = "two\nthree\nfour\n"


def conversation_of(protocol: str) -> Conversation:
    return load_conversation(FOLDER / f"{protocol}.json")


def settings_of(protocol: str) -> JsonObject:
    return {"model": {"provider": protocol}}


async def go_through(scene: Scene, client: LspClient, prompts: list[str]) -> None:
    """Say the prompts, when what is unfinished is finished."""
    await wait_state(client, "idle")
    await scene.talk(client, *prompts)


def assert_all_is_well(scene: Scene, conversation: Conversation, *, extra: int) -> None:
    """Every request is legal and gives back what came; ``extra`` requests were sent again."""
    bodies = [request.body for request in scene.model.requests]
    assert len(bodies) == len(conversation.answers) + extra
    for body in bodies:
        conversation.assert_legal(body)
        sent = conversation.opaque_sent(body)
        assert sent == conversation.opaque[: len(sent)]
    assert len(conversation.opaque_sent(bodies[-1])) == len(conversation.answers) - 1
    assert scene.text("log") == LOG
    assert scene.names()[-1] == "operationFinished:completed"


@pytest.mark.hazard("K9 at each of: before intent, after intent, during the tool")
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_killed_in_the_second_of_three_calls(tmp_path: Path, protocol: str) -> None:
    conversation = conversation_of(protocol)
    first, *others = conversation.prompts
    with scene_at(tmp_path, conversation.replies()) as scene:
        (scene.folder / "README.md").write_text("one\n")
        async with scene.server(settings=settings_of(protocol)) as client:
            await client.command("prompt", text=first)
            await scene.until_file(client, "log")
            client.kill()
        async with scene.server(settings=settings_of(protocol)) as client:
            await go_through(scene, client, others)
        assert_all_is_well(scene, conversation, extra=0)
        assert scene.names().count("tool:interrupted") == 1


@pytest.mark.hazard("Stream that ends without finish reason, or in the middle of a tool call")
@pytest.mark.parametrize(("protocol", "number"), [("openai", 2), ("anthropic", 0)])
async def test_killed_while_an_answer_streams(tmp_path: Path, protocol: str, number: int) -> None:
    conversation = conversation_of(protocol)
    said = conversation.prompts[: 1 if number < 2 else 2]
    with scene_at(tmp_path, conversation.replies(hang_in=number)) as scene:
        (scene.folder / "README.md").write_text("one\n")
        (scene.folder / "go").touch()
        async with scene.server(settings=settings_of(protocol)) as client:
            await scene.talk(client, *said[:-1])
            await client.command("prompt", text=said[-1])
            scene.model.wait_for_requests(number + 1)
            client.kill()
        async with scene.server(settings=settings_of(protocol)) as client:
            await go_through(scene, client, conversation.prompts[len(said) :])
        assert_all_is_well(scene, conversation, extra=1)
