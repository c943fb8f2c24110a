"""The HTTP client, the only module that makes one (httpx is imported on first use)."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from perdure.providers.origin import Origin

if TYPE_CHECKING:
    import ssl

    import httpx

_CONNECT_SECONDS = 15
_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


class ClientPool:
    """Clients that may be used again: in practice one, made on first use.

    A client whose request failed or was cancelled is thrown away with its connections.
    """

    def __init__(self, origin: Origin, *, is_loopback: bool) -> None:
        self._origin = origin
        self._is_loopback = is_loopback
        self._idle: list[httpx.AsyncClient] = []

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        """Lend a client. Raises ProviderError when the environment's settings forbid to make it."""
        client = self._idle.pop() if self._idle else await asyncio.to_thread(self._new_client)
        try:
            yield client
        except BaseException:
            await client.aclose()
            raise
        self._idle.append(client)

    async def aclose(self) -> None:
        """Close the idle clients."""
        while self._idle:
            await self._idle.pop().aclose()

    def _new_client(self) -> httpx.AsyncClient:
        """Make one, not on the event loop: importing httpx and reading certificates take long.

        A server on this machine is never asked through a proxy.
        There is no read timeout here: pings would keep a dead model alive (see ``watched``).
        """
        import httpx

        _remember_what_is_missing()
        try:
            return httpx.AsyncClient(
                verify=_tls_context(),
                timeout=httpx.Timeout(None, connect=_CONNECT_SECONDS),
                trust_env=not self._is_loopback,
            )
        except ImportError:
            problem = "a SOCKS proxy needs the package httpx[socks]"
        except (ValueError, OSError, httpx.InvalidURL):
            problem = "one of them is no valid address or file"
        names = [n for n in _VARIABLES if os.environ.get(n) or os.environ.get(n.lower())]
        raise self._origin.failure(
            "network",
            f"Settings of the environment ({', '.join(names)}) cannot be used: {problem}",
            retryable=False,
        )


@cache
def _remember_what_is_missing() -> None:
    """httpcore tries to import this package several times a request, 0.1 ms for each failure."""
    if find_spec("sniffio") is None:
        sys.modules["sniffio"] = None  # type: ignore[assignment]


@cache
def _tls_context() -> ssl.SSLContext:
    """Loading the certificates costs 40 ms; all clients share them."""
    import httpx

    return httpx.create_ssl_context()
