"""Fact ids: version 7 UUIDs that never go backwards (RFC 9562, section 6.2, method 2)."""

from __future__ import annotations

from collections.abc import Callable

_RANDOM_BITS = 74
_STEP_BITS = 32
_LOW_BITS = 62
_LOW = (1 << _LOW_BITS) - 1
_VARIANT = 1 << 63


class Uuid7:
    """Generates ids; each one is greater than the one before, also when the clock jumps back.

    ``now`` gives ms since the epoch, ``random_bits(n)`` gives n random bits (in production
    ``secrets.randbits``). Not for use from several threads.
    """

    def __init__(self, *, now: Callable[[], int], random_bits: Callable[[int], int]) -> None:
        self._now = now
        self._random_bits = random_bits
        self._last = 0

    def __call__(self) -> str:
        """Return the next id in lower-case text form."""
        time = self._now()
        if time > self._last >> _RANDOM_BITS:
            self._last = time << _RANDOM_BITS | self._random_bits(_RANDOM_BITS)
        else:
            self._last += 1 + self._random_bits(_STEP_BITS)
        return _text(self._last)


def _text(value: int) -> str:
    """Spread 48 bits of time and 74 random bits around version and variant."""
    high = f"{value >> _LOW_BITS:015x}"
    low = f"{_VARIANT | value & _LOW:x}"
    return f"{high[:8]}-{high[8:12]}-7{high[12:]}-{low[:4]}-{low[4:]}"
