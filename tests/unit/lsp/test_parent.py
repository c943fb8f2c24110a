"""The client's process is watched, by whatever the system has for that."""

from __future__ import annotations

import asyncio
import os
import sys

import pytest

from perdure.lsp.parent import ended

pytestmark = pytest.mark.asyncio


async def a_process() -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE
    )


@pytest.mark.parametrize("missing", [False, True], ids=["told", "asked again and again"])
async def test_its_end_is_noticed(missing: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if missing:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    process = await a_process()
    watching = asyncio.ensure_future(ended(process.pid))
    await asyncio.sleep(0)
    assert not watching.done()
    process.kill()
    await asyncio.wait_for(watching, 10)
    await process.wait()


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")
async def test_a_watch_that_is_given_up_leaves_no_descriptor() -> None:
    process = await a_process()
    before = os.listdir("/proc/self/fd")
    watching = asyncio.ensure_future(ended(process.pid))
    await asyncio.sleep(0)
    assert os.listdir("/proc/self/fd") != before
    watching.cancel()
    await asyncio.wait([watching])
    assert os.listdir("/proc/self/fd") == before
    process.kill()
    await process.wait()


async def test_a_process_of_another_container_is_not_missed() -> None:
    process = await a_process()
    process.kill()
    await process.wait()
    watching = asyncio.ensure_future(ended(process.pid))
    done, _ = await asyncio.wait([watching], timeout=0.1)
    assert not done
    watching.cancel()
