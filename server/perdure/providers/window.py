"""Asking an endpoint for what it knows of its model: lazily, beside the first request."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from perdure.json_types import JsonValue
from perdure.providers.base import ProviderError
from perdure.providers.http_client import ClientPool
from perdure.providers.prices import Prices
from perdure.providers.shapes import NotJson, parse_json
from perdure.providers.transport import fetch
from perdure.providers.window_sources import WindowSource

if TYPE_CHECKING:
    import httpx

_SECONDS = 10
_PATIENCE_SECONDS = 1


class ContextWindow:
    """What is known of one model's window, and of its prices where they are told with it.

    Never fails: what does not answer does not know.
    """

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
        self.prices: Prices | None = None
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
                    told = source.read(await self._get(client, source.url))
                    self.prices = self.prices or told.prices
                    self.tokens = told.context_window
                    if self.tokens is not None:
                        break
        except (TimeoutError, ProviderError):
            return
        await self._clients.aclose()

    async def _get(self, client: httpx.AsyncClient, url: str) -> JsonValue:
        import httpx

        try:
            found = await fetch(client, url, self._headers)
            return parse_json(found.body.decode("utf-8", "replace")) if found.is_success else None
        except (httpx.HTTPError, httpx.InvalidURL, NotJson):
            return None
