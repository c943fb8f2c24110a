"""The whole product with a real model behind a real server, over both wire protocols.

What the model says is no matter, that it is asked rightly and heard completely is. It answers the
same each time: its temperature is 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.e2e_model.llama_server import CONTEXT_WINDOW, NAME, LlamaServer
from tests.support.scene import Scene, eventually, scene_at, wait_state

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.e2e_model, pytest.mark.process, pytest.mark.asyncio]

PROTOCOLS = ("openai", "anthropic")


@contextmanager
def workspace_of(tmp_path: Path) -> Iterator[Scene]:
    """A workspace with one file; the scripted model of the scene is not asked."""
    with scene_at(tmp_path, []) as scene:
        (scene.folder / "README.md").write_text("Perdure survives kill -9.\n")
        yield scene
        assert scene.model.count == 0


def asking(llama: LlamaServer, protocol: str) -> JsonObject:
    """The settings; the model's name is asked of the server."""
    return {"model": {"provider": protocol, "name": "", "baseUrl": f"{llama.root}/v1"}}


def streamed(client: LspClient, kind: str) -> str:
    """Everything of one kind that was shown before it was final."""
    told = client.notifications["perdure/delta"]
    return "".join(delta["text"] for delta in told if delta["kind"] == kind)


def answers(scene: Scene) -> list[Any]:
    """The model's messages."""
    return [fact["entry"]["message"] for fact in scene.named("assistant")]


def has_stopped(llama: LlamaServer, written: list[int | None]) -> bool:
    """Note how long the answer is, as long as it grows."""
    written.append(llama.being_written)
    return written[-1] is None


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_tool_is_called_and_the_answer_streams(
    tmp_path: Path, llama: LlamaServer, protocol: str
) -> None:
    with workspace_of(tmp_path) as scene:
        async with scene.server(settings=asking(llama, protocol)) as client:
            await scene.talk(client, "Read the file README.md")
            status = await wait_state(client, "idle")
        calling, answer = answers(scene)
        (call,) = calling["tool_calls"]
        assert call["function"] == {"name": "read", "arguments": '{"path": "README.md"}'}
        assert scene.tool_results() == ["Perdure survives kill -9.\n"]
        assert answer["content"] == streamed(client, "text") != ""
        assert call["function"]["arguments"] == streamed(client, "toolArguments")
        assert scene.names()[-1] == "operationFinished:completed"
        usage = status["usage"]
        assert (usage["contextWindow"], usage["cost"]) == (CONTEXT_WINDOW, None)
        assert usage["input"] > 0
        assert 0 < usage["output"] < usage["contextTokens"] < CONTEXT_WINDOW
        assert len(scene.named("usage")) == len(answers(scene))


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_the_models_are_listed(tmp_path: Path, llama: LlamaServer, protocol: str) -> None:
    with workspace_of(tmp_path) as scene:
        async with scene.server(settings=asking(llama, protocol)) as client:
            found = await client.command("models")
    assert found["endpoint"] in llama.root
    assert found["models"] == [{"name": NAME, "contextWindow": CONTEXT_WINDOW, "current": True}]


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_context_that_is_too_long_says_what_to_do(
    tmp_path: Path, llama: LlamaServer, protocol: str
) -> None:
    with workspace_of(tmp_path) as scene:
        async with scene.server(settings=asking(llama, protocol)) as client:
            await scene.talk(client, "river " * CONTEXT_WINDOW)
            failed = (await wait_state(client, "idle"))["failed"]
        assert "Compact the session or start a new one." in failed["message"]
        titles = [action["title"] for action in failed["actions"]]
        assert titles == ["Compact and continue", "Continue"]
        assert scene.names()[-2:] == ["stepFailed", "operationFinished:failed"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_an_abort_while_it_streams_frees_the_server(
    tmp_path: Path, llama: LlamaServer, protocol: str
) -> None:
    with workspace_of(tmp_path) as scene:
        async with scene.server(settings=asking(llama, protocol)) as client:
            await client.command("prompt", text="Tell me a very long story about a river.")
            await client.until("perdure/delta", lambda delta: delta["kind"] == "text")
            written = [llama.being_written]
            assert (await client.command("abort"))["outcome"] == "aborted"
            await eventually(lambda: has_stopped(llama, written))
        assert 0 < max(count or 0 for count in written) < CONTEXT_WINDOW // 4
        assert scene.names()[-1] == "operationFinished:aborted"
