"""Any OpenAI-compatible endpoint: chat completions over HTTP, streaming.

``openai_request`` makes the body, ``openai_response`` reads the answer; both are pure. Here are
only the connection, its failures, and the limit on silence. Data that some models want back
unchanged (reasoning, signatures) would join ``Answer`` and ``encode_request``; it is not kept yet.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perdure.providers.base import Answer, Delta, ModelRequest, ProviderIdentity
from perdure.providers.endpoint import BaseUrl
from perdure.providers.http_client import ClientPool
from perdure.providers.openai_request import encode_request, output_options
from perdure.providers.openai_response import ChatResponse
from perdure.providers.openai_stream import ChatAssembler
from perdure.providers.origin import Origin
from perdure.providers.watched import Progress, WatchedTasks

if TYPE_CHECKING:
    import httpx

_MOST_ERROR_BYTES = 64 * 1024
_DRAIN_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A model behind an endpoint.

    None means unknown or not limited. ``api_key`` is printable ASCII, "" for none.
    """

    base_url: BaseUrl
    name: str
    api_key: str = field(default="", repr=False)
    context_window: int | None = None
    max_output_tokens: int | None = None
    timeout_seconds: float = 600


class OpenAIChatProvider:
    """The provider ``openai``."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._origin = Origin(model.base_url.authority, model.api_key)
        self._options = output_options(model.base_url.host, model.max_output_tokens)
        self._clients = ClientPool(self._origin, is_loopback=model.base_url.is_loopback)
        self._tasks = WatchedTasks()

    @property
    def identity(self) -> ProviderIdentity:
        """Identity for the configuration digest."""
        return ProviderIdentity(
            provider="openai",
            model=self._model.name,
            adapter="openai:chat-completions:v1",
            routing=self._model.base_url.routing(self._model.name),
            output_options=self._options,
        )

    @property
    def context_window(self) -> int | None:
        """Context window in tokens, as configured."""
        return self._model.context_window

    async def complete(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> Answer:
        """Send the request once. Raises ProviderError, ``timeout`` after too long a silence."""
        assembler = ChatAssembler(
            origin=self._origin,
            max_output_tokens=self._model.max_output_tokens,
            new_call_id=_new_call_id,
            on_delta=on_delta,
        )
        body = encode_request(request, model=self._model.name, options=self._options)
        progress = Progress()
        try:
            return await self._tasks.run(
                self._exchange(body, assembler, progress), progress, self._model.timeout_seconds
            )
        except TimeoutError as error:
            raise assembler.failure(
                "timeout",
                f"{self._origin.host} was silent for {self._model.timeout_seconds:g} s; "
                "whether it did any work is unknown",
            ) from error

    async def aclose(self) -> None:
        """End running requests and release connections. Idempotent."""
        await self._tasks.close()
        await self._clients.aclose()

    async def _exchange(self, body: bytes, assembler: ChatAssembler, progress: Progress) -> Answer:
        import httpx

        async with self._clients.client() as client:
            try:
                async with client.stream(
                    "POST", self._url, headers=self._headers, content=body
                ) as response:
                    progress.note()
                    return await self._read(response, assembler, progress)
            except httpx.ConnectError as error:
                raise self._origin.failure(
                    "network", f"Cannot connect to {self._origin.host}: {error}"
                ) from error
            except httpx.ConnectTimeout as error:
                raise self._origin.failure(
                    "network", f"Cannot connect to {self._origin.host}: no answer"
                ) from error
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise self._origin.failure(
                    "network",
                    f"The connection to {self._origin.host} broke before an answer came; "
                    "whether it did any work is unknown",
                ) from error

    async def _read(
        self, response: httpx.Response, assembler: ChatAssembler, progress: Progress
    ) -> Answer:
        if not response.is_success:
            body = await _beginning(response)
            raise self._origin.http_failure(
                response.status_code, response.headers, body, now=time.time()
            )
        content_type = response.headers.get("content-type", "")
        reader = ChatResponse(assembler, content_type=content_type)
        await _pump(response, reader, assembler, progress)
        return reader.finish()

    @property
    def _url(self) -> str:
        return self._model.base_url.url("/chat/completions")

    @property
    def _headers(self) -> dict[str, str]:
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream, application/json",
            "user-agent": "perdure",
        }
        if self._model.api_key:
            headers["authorization"] = f"Bearer {self._model.api_key}"
        return headers


async def _pump(
    response: httpx.Response, reader: ChatResponse, assembler: ChatAssembler, progress: Progress
) -> None:
    """Feed the body to the reader until it ends, breaks off or is known to be complete."""
    import httpx

    chunks = response.aiter_bytes()
    try:
        async for data in chunks:
            if reader.feed(data):
                progress.note()
            if reader.is_complete:
                break
        # A body read to its end lets the next request use the same connection.
        with suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                async for _ in chunks:
                    pass
    except httpx.DecodingError as error:
        raise assembler.failure(
            "bad_response", "The compressed answer cannot be read", retryable=True
        ) from error
    except httpx.TransportError:
        return  # the reader judges whether what came is a whole answer


async def _beginning(response: httpx.Response) -> bytes:
    """Return the first bytes of an error's body, as many as came."""
    import httpx

    body = b""
    with suppress(httpx.HTTPError):
        async for data in response.aiter_bytes():
            body += data
            if len(body) > _MOST_ERROR_BYTES:
                break
    return body


def _new_call_id() -> str:
    return "call_" + secrets.token_hex(12)
