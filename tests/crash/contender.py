"""A process that wants to write a session as another does: ``python -m tests.crash.contender``."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.support.forks import Say, die, serve
from tests.unit.store.sessions import user_draft

from perdure.errors import SessionInUse
from perdure.json_types import JsonObject
from perdure.store.jsonl import SessionStore
from perdure.store.options import system_options

HELD_SECONDS = 0.01
"""Long enough for the other one to try, mostly."""


def contend(job: JsonObject, say: Say) -> None:
    """Open the session of the job's ``path``, add a prompt, and close it or die holding it."""
    asyncio.run(_contend(Path(str(job["path"])), bool(job["dies"]), say))


async def _contend(path: Path, dies: bool, say: Say) -> None:
    try:
        store = await SessionStore.open(path, options=system_options(level="process"))
    except SessionInUse:
        say(refused=True)
        return
    (fact,) = await store.commit([user_draft()])
    say(stored=fact["id"])
    await asyncio.sleep(HELD_SECONDS)
    if dies:
        die()
    await store.close()


if __name__ == "__main__":
    serve(contend)
