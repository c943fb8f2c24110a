"""A process that writes a session, to be killed: ``python -m tests.crash.store_writer MODE PATH``.

It says ``open`` once it holds the lock and a line for everything it was told is stored.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

from tests.support.log import session
from tests.unit.store.sessions import drafts_of, user_draft

from perdure.store.jsonl import SessionStore
from perdure.store.options import system_options


def main(mode: str, path: Path) -> None:
    store = asyncio.run(write(mode, path))
    if mode == "fork":
        leave_a_forked_child()
    if mode == "spawn":
        subprocess.Popen(["sh", "-c", "echo $$; exec sleep 60"], close_fds=False)
    time.sleep(60)
    say(store.path)


async def write(mode: str, path: Path) -> SessionStore:
    store = await SessionStore.open(path, options=system_options())
    say("open")
    if mode == "fill":
        await fill(store)
    if mode == "abort":
        await store.commit(drafts_of(session().prompt().attempt().abort()))
        say("aborted")
    return store


async def fill(store: SessionStore) -> None:
    for number in count():
        (fact,) = await store.commit([user_draft(f"entry {number} " + "x" * (number % 3000))])
        say(fact["id"])


def leave_a_forked_child() -> None:
    if os.fork() == 0:
        say(os.getpid())
        time.sleep(60)
        os._exit(0)


def say(line: object) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
