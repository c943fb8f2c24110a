"""What every measurement is given, and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from tests.benchmarks.figures import Figure


@dataclass(frozen=True)
class Peer:
    """Another program: ``{session}``, ``{workspace}`` and ``{model}`` in its command are filled."""

    name: str
    command: str


@dataclass(frozen=True)
class Bench:
    """``quick`` asks for a tenth of the work; ``directory`` is empty and on a real disk."""

    directory: Path
    quick: bool = False
    peers: Sequence[Peer] = ()

    def folder(self, name: str) -> Path:
        """Return a new folder of this name."""
        path = self.directory / name
        path.mkdir(parents=True)
        return path

    def scaled(self, full: int) -> int:
        """Return how much of something to do."""
        return max(full // 10, 1) if self.quick else full


Measure: TypeAlias = Callable[[Bench], Iterable[Figure]]
