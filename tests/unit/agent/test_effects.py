"""Stopping and dropping effects."""

from __future__ import annotations

import asyncio

import pytest

from perdure.agent.effects import Effects, EffectStopped


class Probe:
    """An effect that waits for ever and notes how it ended."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.ended = "not started"

    async def run(self) -> str:
        """Wait for ever."""
        self.ended = "running"
        self.started.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended = "cleaned up"
        return "never"


async def value(result: str) -> str:
    """An effect that ends at once."""
    return result


async def broken() -> str:
    """An effect that fails."""
    raise ValueError("broken")


@pytest.mark.asyncio
async def test_the_result_is_handed_on() -> None:
    assert await Effects().run(value("ok")) == "ok"


@pytest.mark.asyncio
async def test_a_failure_is_handed_on() -> None:
    with pytest.raises(ValueError, match="broken"):
        await Effects().run(broken())


@pytest.mark.asyncio
@pytest.mark.requirement(98)
async def test_stop_ends_a_running_effect_after_it_cleaned_up() -> None:
    effects, probe = Effects(), Probe()
    running = asyncio.create_task(effects.run(probe.run()))
    await probe.started.wait()
    effects.stop()
    with pytest.raises(EffectStopped):
        await running
    assert probe.ended == "cleaned up"


@pytest.mark.asyncio
async def test_after_stop_nothing_starts() -> None:
    effects, probe = Effects(), Probe()
    effects.stop()
    with pytest.raises(EffectStopped):
        await effects.run(probe.run())
    assert probe.ended == "not started"


@pytest.mark.asyncio
async def test_an_effect_that_ended_before_the_stop_keeps_its_result() -> None:
    effects = Effects()

    async def ends_and_is_stopped() -> str:
        effects.stop()
        return "happened"

    assert await effects.run(ends_and_is_stopped()) == "happened"


@pytest.mark.asyncio
async def test_cancelling_the_caller_drops_the_effect() -> None:
    effects, probe = Effects(), Probe()
    running = asyncio.create_task(effects.run(probe.run()))
    await probe.started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert probe.ended == "cleaned up"
