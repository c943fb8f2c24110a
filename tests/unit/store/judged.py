"""Logs and sidecars to be judged: a sound pair, and words for what can become of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.support.disk_golden import golden

from perdure.store.seal import Seal, Sidecar
from perdure.store.verdict import Damaged, Sound, Torn, judge

GOLDEN = golden("whole run", "barrier")
SEALS = GOLDEN.sidecar.seals[:4]
"""Of the header, the prompt (synced), the attempt (longer than a sector) and the answer."""


@dataclass(frozen=True)
class Case:
    """A log and its sidecar, to be changed; the log is cut before the second sync."""

    log: bytes = GOLDEN.log[: SEALS[-1].end]
    seals: tuple[Seal, ...] | None = SEALS

    def verdict(self) -> str:
        """Return the verdict in a few words."""
        seals = self.seals
        match judge(self.log, None if seals is None else Sidecar(seals, (), "barrier", 0)):
            case Sound():
                return "sound"
            case Torn(rule=rule, offset=offset):
                return f"torn {rule} from line {self.log[:offset].count(10) + 1}"
            case Damaged(rule=rule, line=line, reason=reason):
                return f"damaged {rule} at line {line}: {reason}"

    def cut(self, length: int) -> Case:
        return replace(self, log=self.log[:length])

    def plus(self, tail: bytes) -> Case:
        return replace(self, log=self.log + tail)

    def alone(self) -> Case:
        return replace(self, seals=None)

    def put(self, place: int, text: bytes) -> Case:
        return replace(self, log=self.log[:place] + text + self.log[place + len(text) :])

    def blank(self, number: int) -> Case:
        """Let the sectors of a line, LF aside, never have been written."""
        start = SEALS[number - 2].end
        return self.put(start, bytes(SEALS[number - 1].end - 1 - start))

    def synced(self) -> Case:
        """Let the sidecar say that everything was synced."""
        return replace(self, seals=tuple(seal._replace(durable=seal.through) for seal in SEALS))

    def sealed(self, *seals: Seal) -> Case:
        return replace(self, seals=seals)


WHOLE = Case()
THIRD = SEALS[1].end
LAST = SEALS[2].end
BLOT = bytes([SEALS[-1].chain[0] ^ 0x10]) + SEALS[-1].chain[1:]
