"""The connection: silence, cancelling, secrets, and never a second request."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable

import pytest
from tests.support.model_replies import (
    Reply,
    cut_reply,
    error_reply,
    hang_reply,
    slow_reply,
    text_reply,
)
from tests.support.model_server import ModelServer

from perdure.providers.base import Answer, Delta, ModelRequest, ProviderError
from perdure.providers.endpoint import parse_base_url
from perdure.providers.openai_chat import OpenAIChatProvider
from perdure.providers.remote import RemoteModel

REQUEST = ModelRequest("You are.", [{"role": "user", "content": "hi"}], ())
KEY = "sk-test-0123456789"


def provider_at(url: str, *, key: str = KEY, timeout_seconds: float = 5) -> OpenAIChatProvider:
    base_url = parse_base_url(url)
    assert base_url is not None
    return OpenAIChatProvider(
        RemoteModel(base_url=base_url, name="m", api_key=key, timeout_seconds=timeout_seconds)
    )


async def ask(provider: OpenAIChatProvider) -> Answer:
    return await provider.complete(REQUEST, lambda delta: None)


def failure(url: str, *, key: str = KEY, timeout_seconds: float = 5) -> ProviderError:
    async def fail() -> None:
        provider = provider_at(url, key=key, timeout_seconds=timeout_seconds)
        try:
            await ask(provider)
        finally:
            await provider.aclose()

    with pytest.raises(ProviderError) as raised:
        asyncio.run(fail())
    return raised.value


def test_two_requests_share_one_connection() -> None:
    async def twice(provider: OpenAIChatProvider) -> list[Answer]:
        answers = [await ask(provider), await ask(provider)]
        await provider.aclose()
        return answers

    with ModelServer([text_reply("one"), text_reply("two")]) as server:
        answers = asyncio.run(twice(provider_at(server.base_url)))
    assert [answer.message["content"] for answer in answers] == ["one", "two"]
    assert len({request.client_port for request in server.requests}) == 1
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[0].path == "/v1/chat/completions"


def test_no_key_no_header() -> None:
    with ModelServer([text_reply("one")]) as server:
        asyncio.run(ask(provider_at(server.base_url, key="")))
    assert "authorization" not in server.requests[0].headers


FAULTS: dict[str, tuple[Reply, str]] = {
    "429": (error_reply(429, "slow down", {"retry-after": "7"}), "rate_limit"),
    "503": (error_reply(503, "busy"), "overloaded"),
    "no response": (Reply(status=0), "network"),
    "cut": (cut_reply(text_reply("Hello"), after=1), "stream_incomplete"),
    "silence": (hang_reply(), "timeout"),
    "silence in the answer": (hang_reply(text_reply("Hello"), after=1), "timeout"),
    "pings only": (Reply(parts=(b": ping\n\n", 0.1) * 20), "timeout"),
}


@pytest.mark.requirement(27, 32)
@pytest.mark.parametrize(("reply", "code"), FAULTS.values(), ids=FAULTS.keys())
def test_a_failed_request_is_reported_and_never_sent_again(reply: Reply, code: str) -> None:
    with ModelServer([reply, text_reply("again")]) as server:
        error = failure(server.base_url, timeout_seconds=1 if code == "timeout" else 20)
        assert server.count == 1
    assert (error.code, error.retryable) == (code, True)
    assert "nothing" not in str(error)
    assert "no effect" not in str(error)
    assert ("7 s" in str(error)) == (code == "rate_limit")


def test_slow_chunks_are_no_silence() -> None:
    with ModelServer([slow_reply(text_reply("Hello", pieces=4), seconds=0.05)]) as server:
        answer = asyncio.run(ask(provider_at(server.base_url, timeout_seconds=0.3)))
    assert answer.message["content"] == "Hello"


def test_nobody_listens() -> None:
    with ModelServer([]) as server:
        url = server.base_url
    error = failure(url)
    assert error.code == "network"
    assert "Cannot connect to 127.0.0.1:" in str(error)


Cancel = Callable[[asyncio.Task[Answer]], Awaitable[None]]


async def cancel_once(task: asyncio.Task[Answer]) -> None:
    task.cancel()


async def cancel_twice(task: asyncio.Task[Answer]) -> None:
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()


@pytest.mark.hazard("abort while connecting or streaming; late chunks are dropped")
@pytest.mark.parametrize("cancel", [cancel_once, cancel_twice])
@pytest.mark.parametrize("sent", [0, 1])
def test_cancelling_closes_the_connection(sent: int, cancel: Cancel) -> None:
    """Far more often than the pool has connections, so that none may be lost."""
    rounds = 12

    async def scenario(server: ModelServer) -> Answer:
        provider = provider_at(server.base_url)
        for number in range(1, rounds + 1):
            deltas: asyncio.Queue[Delta] = asyncio.Queue()
            task = asyncio.create_task(provider.complete(REQUEST, deltas.put_nowait))
            await asyncio.to_thread(server.wait_for_requests, number)
            if sent:
                await deltas.get()
            await cancel(task)
            await asyncio.wait([task])
            assert task.cancelled()
            await asyncio.to_thread(server.wait_for_departures, number)
            assert deltas.empty()
        answer = await ask(provider)
        await provider.aclose()
        return answer

    hanging = hang_reply(text_reply("Hello"), after=sent)
    with ModelServer([*[hanging] * rounds, text_reply("alive")]) as server:
        answer = asyncio.run(scenario(server))
    assert answer.message["content"] == "alive"


def test_closing_ends_a_running_request() -> None:
    async def scenario(server: ModelServer) -> bool:
        provider = provider_at(server.base_url)
        task = asyncio.create_task(ask(provider))
        await asyncio.to_thread(server.wait_for_requests, 1)
        await provider.aclose()
        await provider.aclose()
        await asyncio.wait([task])
        return task.cancelled()

    with ModelServer([hang_reply()]) as server:
        assert asyncio.run(scenario(server))
        server.wait_for_departures(1)


@pytest.mark.hazard("Authorization in an error: the provider key appears nowhere")
def test_the_key_is_never_told() -> None:
    with ModelServer([error_reply(401, f"Incorrect API key provided: {KEY}")]) as server:
        error = failure(server.base_url)
        provider = provider_at(server.base_url)
    assert KEY not in f"{error} {error!r} {provider.identity!r}"
    assert "Incorrect API key provided: [key]" in str(error)


@pytest.mark.parametrize("proxy", ["socks5://user:hidden@127.0.0.1:1", "nonsense://hidden"])
def test_proxy_settings_that_cannot_be_used(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    error = failure("https://models.example/v1")
    assert error.code == "network"
    assert not error.retryable
    assert "ALL_PROXY" in str(error)
    assert "hidden" not in str(error)


def test_a_proxy_is_not_used_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    with ModelServer([text_reply("direct")]) as server:
        answer = asyncio.run(ask(provider_at(server.base_url)))
    assert answer.message["content"] == "direct"


def test_identity() -> None:
    identity = provider_at("HTTPS://Models.Example:443/v1/").identity
    assert (identity.provider, identity.model) == ("openai", "m")
    assert identity.adapter == "openai:chat-completions:v1"
    assert identity.routing == "models.example/v1:m"
    assert identity.output_options == {}


def test_httpx_is_imported_only_for_a_request() -> None:
    code = (
        "import sys, asyncio, perdure.providers.registry as r;"
        "from perdure.providers.model_settings import ModelSettings as M;"
        "s = M(base_url='http://127.0.0.1:9/v1', name='m');"
        "p = asyncio.run(r.select(s, {}, None)); asyncio.run(p.aclose());"
        "print('httpx' in sys.modules)"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert output.stdout.strip() == b"False"
