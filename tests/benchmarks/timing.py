"""Ways to take the time, so that ratios hold on a busy machine.

What is compared is done in turns, and the least time of each counts: what other processes take
away comes and goes, it never makes anything faster.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping

Clock = Callable[[], float]


def interleaved(
    actions: Mapping[str, Callable[[], object]],
    *,
    rounds: int = 5,
    clock: Clock = time.process_time,
) -> dict[str, float]:
    """Return the least seconds of each action, done in turns; CPU time unless said."""
    best = dict.fromkeys(actions, float("inf"))
    for _ in range(rounds):
        for name, action in actions.items():
            best[name] = min(best[name], timed(action, clock=clock))
    return best


def timed(action: Callable[[], object], *, clock: Clock = time.process_time) -> float:
    """Return the seconds of one call; what it returns is freed after the clock has stopped."""
    gc.collect()
    began = clock()
    result = action()
    seconds = clock() - began
    del result
    return seconds


def percentile(values: list[float], part: float) -> float:
    """Return the value below which this part of them lies."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)]
