"""A model behind an endpoint: the one exchange over HTTP that every wire protocol needs.

A protocol says what to send and how to read what comes back, both pure. Here are only the
connection, its failures, and the limit on silence.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perdure.providers.assembler import Assembler
from perdure.providers.base import Answer, Delta, ModelRequest, ProviderIdentity
from perdure.providers.endpoint import BaseUrl
from perdure.providers.http_client import ClientPool
from perdure.providers.known_models import known_model
from perdure.providers.origin import Origin
from perdure.providers.prices import Prices
from perdure.providers.response_body import ResponseBody
from perdure.providers.thinking import Thinking
from perdure.providers.transport import failures_in_words
from perdure.providers.watched import Progress, WatchedTasks
from perdure.providers.window import ContextWindow
from perdure.providers.window_sources import WindowSource

if TYPE_CHECKING:
    import httpx

_MOST_ERROR_BYTES = 64 * 1024
_DRAIN_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """A model behind an endpoint.

    None means unknown or not limited. ``api_key`` is printable ASCII, "" for none; ``key_env``
    names the variable it came from. ``prices`` are the user's own.
    """

    base_url: BaseUrl
    name: str
    api_key: str = field(default="", repr=False)
    context_window: int | None = None
    max_output_tokens: int | None = None
    timeout_seconds: float = 600
    key_env: str = ""
    thinking: Thinking = "default"
    prices: Prices | None = None


class RemoteProvider(ABC):
    """What the providers of all wire protocols have in common."""

    def __init__(self, model: RemoteModel) -> None:
        self._model = model
        is_loopback = model.base_url.is_loopback
        self._origin = Origin(
            model.base_url.authority, model.api_key, key_env=model.key_env, is_local=is_loopback
        )
        self._clients = ClientPool(self._origin, is_loopback=is_loopback)
        self._tasks = WatchedTasks()
        self._known = known_model(model.base_url.host, model.name)
        self._window = ContextWindow(
            known=model.context_window or self._known.context_window,
            sources=self._window_sources,
            headers=self._key_headers,
            clients=ClientPool(self._origin, is_loopback=is_loopback),
            attempts=2 if is_loopback else 1,
        )

    @property
    @abstractmethod
    def identity(self) -> ProviderIdentity:
        """Identity for the configuration digest."""

    @property
    def context_window(self) -> int | None:
        """Context window in tokens: as configured, as the endpoint says, or None."""
        return self._window.tokens

    @property
    def prices(self) -> Prices | None:
        """Prices: as configured, as the endpoint says, as known, or None."""
        return self._model.prices or self._window.prices or self._known.prices

    async def complete(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> Answer:
        """Send the request once. Raises ProviderError, ``timeout`` after too long a silence."""
        assembler = self._assembler(on_delta)
        progress = Progress()
        self._window.ask()
        try:
            answer = await self._tasks.run(
                self._exchange(self._encode(request), assembler, progress),
                progress,
                self._model.timeout_seconds,
            )
        except TimeoutError as error:
            raise assembler.failure(
                "timeout",
                f"{self._origin.host} was silent for {self._model.timeout_seconds:g} s; "
                "whether it did any work is unknown",
            ) from error
        await self._window.settle()
        return answer

    async def aclose(self) -> None:
        """End running requests and release connections. Idempotent."""
        await self._window.aclose()
        await self._tasks.close()
        await self._clients.aclose()

    @abstractmethod
    def _encode(self, request: ModelRequest) -> bytes:
        """Return the body to send."""

    @abstractmethod
    def _assembler(self, on_delta: Callable[[Delta], None]) -> Assembler:
        """Return what reads the answer to one request."""

    @property
    @abstractmethod
    def _url(self) -> str:
        """Where requests go."""

    @property
    @abstractmethod
    def _key_headers(self) -> dict[str, str]:
        """The headers of this protocol, with the key if there is one."""

    @property
    @abstractmethod
    def _window_sources(self) -> tuple[WindowSource, ...]:
        """Where the endpoint may tell the context window."""

    async def _exchange(self, body: bytes, assembler: Assembler, progress: Progress) -> Answer:
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream, application/json",
            "user-agent": "perdure",
            **self._key_headers,
        }
        async with self._clients.client() as client:
            with failures_in_words(self._origin):
                async with client.stream(
                    "POST", self._url, headers=headers, content=body
                ) as response:
                    progress.note()
                    return await self._read(response, assembler, progress)

    async def _read(
        self, response: httpx.Response, assembler: Assembler, progress: Progress
    ) -> Answer:
        if not response.is_success:
            body = await _beginning(response)
            raise self._origin.http_failure(
                response.status_code, response.headers, body, now=time.time()
            )
        content_type = response.headers.get("content-type", "")
        reader = ResponseBody(assembler, content_type=content_type)
        await _pump(response, reader, assembler, progress)
        return reader.finish()


def new_call_id() -> str:
    """Return an id for a call that came without one."""
    return "call_" + secrets.token_hex(12)


async def _pump(
    response: httpx.Response, reader: ResponseBody, assembler: Assembler, progress: Progress
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
