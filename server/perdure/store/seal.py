"""The sidecar ``S.seal``: what its lines say, and the chain that binds them to the log.

::

    {"level":"barrier"}                                     written at this level from here on
    {"through":S,"end":E,"durable":D,"chain":"<32 hex>"}    a seal: one per transaction
    {"repaired":{"offset":O,"bytes":N,"sha256":H,"reason":R,"rule":"R1"}}

A seal says: the log up to byte ``end``, facts up to seq ``through``, hashes to ``chain``; when
this was written, facts up to ``durable`` were on stable storage. The chain after the header is
its SHA-256, after each further line SHA-256(chain before, line with its LF), cut to 16 bytes. So
one seal vouches for everything before it.

``repaired`` voids the seals of what was cut off. Lines of any other form are ignored: they are
what a power cut or a flipped bit made of the sidecar, which must not condemn a sound log.
"""

from __future__ import annotations

import re
from binascii import hexlify, unhexlify
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias, cast

import orjson

from perdure.json_types import JsonValue
from perdure.store.levels import LEVELS, Level

CHAIN_BYTES = 16

Rule: TypeAlias = Literal["R1", "R2", "R3", "R4", "R5", "R6"]
"""The rules that tell a torn end from damage; ``perdure.store.verdict`` applies them."""

_LINE = b'{"through":%d,"end":%d,"durable":%d,"chain":"%b"}\n'
_NUMBER = rb"(0|[1-9][0-9]{0,15})"
_SEAL = re.compile(
    rb'\{"through":%b,"end":%b,"durable":%b,"chain":"([0-9a-f]{32})"\}' % ((_NUMBER,) * 3)
)


class Seal(NamedTuple):
    """Where a log stands: its last seq, its size in bytes, what of it is synced, and the chain.

    ``durable`` is at most ``through``.
    """

    through: int
    end: int
    durable: int
    chain: bytes

    def after(self, line: bytes, *, through: int, durable: int) -> Seal:
        """Return the seal after one more line, whose last fact is ``through``."""
        synced = durable if durable < through else through
        return Seal(through, self.end + len(line), synced, link(self.chain, line))

    def encode(self) -> bytes:
        """Return its line."""
        through, end, durable, chain = self
        return _LINE % (through, end, durable, hexlify(chain))


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair cut off: ``length`` bytes at ``offset``, their SHA-256 in hex, and why."""

    offset: int
    length: int
    sha256: str
    reason: str
    rule: Rule

    def encode(self) -> bytes:
        """Return its line."""
        record = {
            "offset": self.offset,
            "bytes": self.length,
            "sha256": self.sha256,
            "reason": self.reason,
            "rule": self.rule,
        }
        return orjson.dumps({"repaired": record}, option=orjson.OPT_APPEND_NEWLINE)


@dataclass(frozen=True, slots=True)
class Sidecar:
    """What a sidecar says. ``seals`` are those in force, ``length`` is that of its whole lines."""

    seals: tuple[Seal, ...]
    repairs: tuple[Repair, ...]
    level: Level | None
    length: int


def encode_level(level: Level) -> bytes:
    """Return the line that records a level."""
    return b'{"level":"%b"}\n' % level.encode()


def parse_sidecar(data: bytes) -> Sidecar:
    """Read a sidecar, whatever has become of it; an unfinished last line is ignored."""
    length = data.rfind(b"\n") + 1
    seals: list[Seal] = []
    repairs: list[Repair] = []
    level: Level | None = None
    for line in data[:length].split(b"\n")[:-1]:
        record = _seal(line) or _other(line)
        if isinstance(record, Seal):
            seals.append(record)
        elif isinstance(record, Repair):
            repairs.append(record)
            seals = [seal for seal in seals if seal.end <= record.offset]
        elif record is not None:
            level = record
    return Sidecar(seals=tuple(seals), repairs=tuple(repairs), level=level, length=length)


def seed(header: bytes | memoryview) -> bytes:
    """Return the chain after the header line, given with its LF."""
    return sha256(header).digest()[:CHAIN_BYTES]


def link(chain: bytes, line: bytes | memoryview) -> bytes:
    """Return the chain after one more line, given with its LF."""
    hashed = sha256(chain)
    hashed.update(line)
    return hashed.digest()[:CHAIN_BYTES]


def chains(data: bytes, *, length: int) -> Iterator[tuple[int, bytes]]:
    """Yield, for each complete line of the first ``length`` bytes, its end and the chain there."""
    view = memoryview(data)
    end = data.find(b"\n", 0, length) + 1
    chain = seed(view[:end])
    while end:
        yield end, chain
        start, end = end, data.find(b"\n", end, length) + 1
        chain = link(chain, view[start:end])


def _seal(line: bytes) -> Seal | None:
    match = _SEAL.fullmatch(line)
    if match is None:
        return None
    through, end, durable, chain = match.groups()
    seal = Seal(int(through), int(end), int(durable), unhexlify(chain))
    return seal if seal.durable <= seal.through else None


def _other(line: bytes) -> Repair | Level | None:
    try:
        value = cast("JsonValue", orjson.loads(line))
    except orjson.JSONDecodeError:
        return None
    match value:
        case {"level": str(level)} if level in LEVELS:
            return level
        case {
            "repaired": {
                "offset": int(offset),
                "bytes": int(length),
                "sha256": str(digest),
                "reason": str(reason),
                "rule": "R1" | "R5" as rule,
            }
        }:
            return Repair(offset, length, digest, reason, rule)
        case _:
            return None
