"""A holder listens for whoever asks for the session on its desk, and for no other."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.support.agent_home import agent_at, talk

pytestmark = pytest.mark.asyncio


def watches() -> int:
    """Return how many sessions are watched."""
    names = [str(task.get_coro()) for task in asyncio.all_tasks()]
    return sum("TakeOver.watch" in name for name in names)


async def test_a_session_that_is_put_away_is_watched_no_more(tmp_path: Path) -> None:
    async with agent_at(tmp_path) as agent:
        await talk(agent, "text: one")
        assert watches() == 1
        await agent.new_session()
        await talk(agent, "text: two")
        assert watches() == 1
    assert watches() == 0
