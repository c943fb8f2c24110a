"""``perdure.searchSessions``: in a thread, and at an end when its request is."""

from __future__ import annotations

import asyncio
import threading

from perdure.core.masking import Shown
from perdure.errors import CommandError
from perdure.protocol.sessions import SearchHit, SearchSessionsArguments, SearchSessionsResult
from perdure.store.catalog import Catalog
from perdure.store.search import Hit, search_sessions

QUERY_LENGTH = 1000
"""Characters; a longer query is refused."""


async def search(
    catalog: Catalog, arguments: SearchSessionsArguments, *, shown: Shown
) -> SearchSessionsResult:
    """Return the sessions with the text, newest first; cancelling it stops the reading too."""
    query = arguments["query"].strip()
    if not query or len(query) > QUERY_LENGTH:
        raise CommandError(f"query should have 1 to {QUERY_LENGTH} characters.")
    cancelled = threading.Event()

    def work() -> list[Hit]:
        return search_sessions(catalog.list(), query, cancelled=cancelled.is_set, shown=shown)

    try:
        hits = await asyncio.to_thread(work)
    finally:
        cancelled.set()
    return {"sessions": [_wire(hit) for hit in hits]}


def _wire(hit: Hit) -> SearchHit:
    return {
        "sessionId": hit.summary.id,
        "title": hit.summary.title,
        "createdAt": hit.summary.created_at,
        "updatedAt": hit.summary.updated_at,
        "snippet": hit.snippet,
    }
