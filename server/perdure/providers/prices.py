"""What tokens cost. Pure."""

from __future__ import annotations

from dataclasses import dataclass

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a million tokens, in US dollars unless the user has set them in another unit.

    ``input`` is what neither was read from a cache nor written to one.
    """

    input: float
    output: float
    cache_read: float
    cache_write: float

    def cost(self, *, input: int, output: int, cache_read: int, cache_write: int) -> float:
        """Return what these counts of tokens cost."""
        total = (
            input * self.input
            + output * self.output
            + cache_read * self.cache_read
            + cache_write * self.cache_write
        )
        return total / _MILLION


def prices_of(
    input: float | None,
    output: float | None,
    cache_read: float | None = None,
    cache_write: float | None = None,
) -> Prices | None:
    """Return prices of which only the first two must be known; a cache costs like input."""
    if input is None or output is None:
        return None
    return Prices(
        input=input,
        output=output,
        cache_read=input if cache_read is None else cache_read,
        cache_write=input if cache_write is None else cache_write,
    )
