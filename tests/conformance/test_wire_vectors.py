"""The shared wire vectors, played by a server on loopback to the real provider.

They are read in place from ``PERDURE_WIRE_VECTORS`` (default ``../shared/wire-vectors``; ``none``
skips them). Perdure sends a request once: of a vector about retries only the first exchange counts,
as the error that ``FIRST_FAILURE`` names. Each stream comes as written and cut to 1 and 7 bytes.
"""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.model_server import ModelServer
from tests.support.wire_vectors import (
    Vector,
    assert_checks,
    assert_message,
    history,
    load_vectors,
    opaque,
    reply_of,
)

from perdure.core.declarations import ToolDefinition
from perdure.json_types import JsonObject
from perdure.providers.anthropic_messages import AnthropicProvider
from perdure.providers.base import Answer, Delta, ModelRequest, Provider, ProviderError
from perdure.providers.endpoint import parse_base_url, without_version
from perdure.providers.openai_chat import OpenAIChatProvider
from perdure.providers.openai_dialect import dialect_of
from perdure.providers.openai_request import Encoder
from perdure.providers.remote import RemoteModel

FOLDER = os.environ.get(
    "PERDURE_WIRE_VECTORS", str(Path(__file__).parents[3] / "shared" / "wire-vectors")
)

FIRST_FAILURE: dict[str, JsonObject] = {
    "anthropic-overloaded-first-then-ok": {"code": "overloaded", "retryable": True},
    "retry-429-retry-after": {"code": "rate_limit", "retryable": True, "retryAfterMs": 1000},
    "retry-429-retry-after-ms": {"code": "rate_limit", "retryable": True, "retryAfterMs": 300},
    "retry-conn-closed-before-headers": {"code": "network", "retryable": True},
    "retry-stream-died-before-content": {"code": "stream_incomplete", "retryable": True},
}

HOSTS = {"gemini": "generativelanguage.googleapis.com", "mistral": "api.mistral.ai"}
TOOLS = tuple(ToolDefinition(name, "", {"type": "object"}) for name in ("read", "bash", "write"))


def vectors() -> list[object]:
    if FOLDER == "none":
        return []
    return [pytest.param(vector, id=vector.id) for vector in load_vectors(Path(FOLDER))]


@pytest.mark.skipif(FOLDER == "none", reason="PERDURE_WIRE_VECTORS=none")
def test_the_vectors_are_there() -> None:
    known = {vector.id for vector in load_vectors(Path(FOLDER))}
    assert known, (
        f"No wire vectors in {FOLDER}: set PERDURE_WIRE_VECTORS to their folder, or to none."
    )
    assert set(FIRST_FAILURE) <= known


@pytest.mark.requirement(27, 32)
@pytest.mark.parametrize("vector", vectors())
def test_wire_vector(vector: Vector) -> None:
    if vector.is_request:
        asyncio.run(check_request(vector))
    else:
        asyncio.run(check_response(vector))


async def check_request(vector: Vector) -> None:
    request = ModelRequest("", history(vector), TOOLS, opaque(vector))
    if vector.service:
        dialect = dialect_of(HOSTS[vector.service])
        body = json.loads(Encoder(model="m", options={}, dialect=dialect).encode(request))
    else:
        body = await sent_body(vector, request)
    assert_checks(vector, body)


async def sent_body(vector: Vector, request: ModelRequest) -> JsonObject:
    with ModelServer([]) as server:
        provider = provider_for(server, vector)
        with pytest.raises(ProviderError):
            await provider.complete(request, lambda delta: None)
        await provider.aclose()
    return server.requests[0].body


async def check_response(vector: Vector) -> None:
    sizes = [None, 7, 1] if vector.is_cheap_to_cut else [None]
    with ModelServer([reply_of(vector, size) for size in sizes]) as server:
        provider = provider_for(server, vector)
        for number in range(1, len(sizes) + 1):
            await check_exchange(vector, provider)
            assert server.count == number, "a request was sent again"
        await provider.aclose()


async def check_exchange(vector: Vector, provider: Provider) -> None:
    deltas: list[Delta] = []
    request = ModelRequest("You are.", [{"role": "user", "content": "hi"}], TOOLS)
    try:
        answer = await provider.complete(request, deltas.append)
    except ProviderError as error:
        check_error(vector, error)
    else:
        check_answer(vector, answer, deltas)


def check_answer(vector: Vector, answer: Answer, deltas: list[Delta]) -> None:
    thinking = "".join(delta.text for delta in deltas if delta.kind == "reasoning")
    assert vector.id not in FIRST_FAILURE
    assert vector.expect["outcome"] == "message", json.dumps(answer.message)
    assert_message(vector, answer, thinking)


def check_error(vector: Vector, error: ProviderError) -> None:
    expected = FIRST_FAILURE.get(vector.id) or vector.expect.get("error")
    assert isinstance(expected, dict), f"{error.code}: {error}"
    found: JsonObject = {
        "code": error.code,
        "retryable": error.retryable,
        "httpStatus": error.http_status,
        "retryAfterMs": error.retry_after_ms,
        "partial": {"text": error.partial, "toolCalls": []},
        "messageContains": expected.get("messageContains", "") in str(error),  # type: ignore[operator]
    }
    wanted = expected | ({"messageContains": True} if "messageContains" in expected else {})
    assert {key: found[key] for key in wanted} == wanted, str(error)
    assert "no effect" not in str(error)


def provider_for(server: ModelServer, vector: Vector) -> Provider:
    base_url = parse_base_url(server.base_url)
    assert base_url is not None
    model = RemoteModel(
        base_url=base_url,
        name="m",
        api_key="sk-test-secret-key",
        max_output_tokens=vector.max_tokens,
        timeout_seconds=vector.timeout_seconds,
    )
    if vector.api == "openai-chat":
        return OpenAIChatProvider(model)
    return AnthropicProvider(replace(model, base_url=without_version(base_url)))
