"""Asking an endpoint for the context window of its model: lazily, beside the first request."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from perdure.json_types import JsonValue
from perdure.providers.base import ProviderError
from perdure.providers.http_client import ClientPool
from perdure.providers.shapes import NotJson, parse_json
from perdure.providers.window_sources import WindowSource

if TYPE_CHECKING:
    import httpx

_SECONDS = 10
_PATIENCE_SECONDS = 1
_MOST_BYTES = 16 * 1024 * 1024


class ContextWindow:
    """What is known of one model's window. Never fails: what does not answer does not know."""

    def __init__(
        self,
        *,
        known: int | None,
        sources: tuple[WindowSource, ...],
        headers: dict[str, str],
        clients: ClientPool,
        attempts: int,
    ) -> None:
        """``attempts``: a local server may load its model, and know, only at the first request."""
        self.tokens = known
        self._sources = sources
        self._headers = headers
        self._clients = clients
        self._attempts_left = 0 if known else attempts
        self._asking: asyncio.Task[None] | None = None

    def ask(self) -> None:
        """Begin to ask, unless that is known or was asked before."""
        is_asking = self._asking is not None and not self._asking.done()
        if self.tokens is None and self._attempts_left and not is_asking:
            self._attempts_left -= 1
            self._asking = asyncio.create_task(self._ask())

    async def settle(self) -> None:
        """Wait a moment for the answer, so that what comes next can reckon with it."""
        if self._asking is not None:
            await asyncio.wait({self._asking}, timeout=_PATIENCE_SECONDS)

    async def aclose(self) -> None:
        """Ask no more. Idempotent."""
        self._attempts_left = 0
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking})
        await self._clients.aclose()

    async def _ask(self) -> None:
        try:
            async with asyncio.timeout(_SECONDS), self._clients.client() as client:
                for source in self._sources:
                    self.tokens = source.read(await self._get(client, source.url)) or None
                    if self.tokens is not None:
                        break
        except (TimeoutError, ProviderError):
            return
        await self._clients.aclose()

    async def _get(self, client: httpx.AsyncClient, url: str) -> JsonValue:
        import httpx

        body = b""
        try:
            async with client.stream("GET", url, headers=self._headers) as response:
                async for data in response.aiter_bytes():
                    body += data
                    if len(body) > _MOST_BYTES:
                        return None
            return parse_json(body.decode("utf-8", "replace")) if response.is_success else None
        except (httpx.HTTPError, httpx.InvalidURL, NotJson):
            return None
