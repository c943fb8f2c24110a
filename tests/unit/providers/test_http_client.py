"""The HTTP client: what takes long is kept away from the event loop."""

from __future__ import annotations

import threading

import httpx
import pytest

from perdure.providers.http_client import ClientPool
from perdure.providers.origin import Origin


@pytest.mark.asyncio
async def test_a_client_is_made_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """An abort right after the first prompt must not wait for imports and certificates."""
    makers = []

    class Client(httpx.AsyncClient):
        def __init__(self, **options: object) -> None:
            makers.append(threading.current_thread())
            super().__init__(**options)  # type: ignore[arg-type]

    monkeypatch.setattr(httpx, "AsyncClient", Client)
    pool = ClientPool(Origin("localhost", "", is_local=True), is_loopback=True)
    for _ in range(2):
        async with pool.client():
            pass
    await pool.aclose()
    assert len(makers) == 1
    assert makers[0] is not threading.current_thread()
