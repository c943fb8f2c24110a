"""``S.snapshot``: the reduced state of the start of a log, so that opening need not reduce it.

::

    <64 hex>                                  SHA-256 of all that follows
    {"format":3,"reducer":…,"prefix":P,"through":…,"end":E,"durable":…,"chain":C,"sidecar":N,
     "level":…}                               on one line
    …                                         the packed ledger, on two lines; the second has no LF

``P`` is the hash of the first ``E`` bytes of the log (``_prefix_hash``). The four fields from
``through`` on are the seal of these, which ends at byte ``N`` of the sidecar; what is before it
need not be read.

A snapshot is a cache. It is used only when it is whole, made by this very core, and its hash is
that of the log's first ``offset`` bytes, all of them read; otherwise the log is reduced as if
there were none. It shortens the way to one verdict, *sound*. Whatever else there is to say of a
log, ``judge`` says, from its first byte on.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

import orjson

from perdure.core.reducer.ledger import Ledger
from perdure.core.reducer.outcome import Corrupt
from perdure.core.reducer.packed import Packed
from perdure.core.reducer.session import apply
from perdure.core.reducer.version import REDUCER_VERSION
from perdure.store._prefix_hash import prefix_hash
from perdure.store.levels import Level
from perdure.store.seal import Seal, Sidecar, link, parse_sidecar
from perdure.store.verdict import Sound, Verdict, judge

FORMAT = 3
_CHECKSUM = 64
"""Hex digits of the first line."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """``packed`` is the ledger of the start of a log, which ``seal`` describes.

    ``prefix`` is the hash of those bytes. The sidecar's first ``sidecar`` bytes end with that
    seal, as far as known; ``level`` is the one that they record.
    """

    seal: Seal
    prefix: bytes
    packed: Packed
    sidecar: int = 0
    level: Level | None = None

    def encode(self) -> bytes:
        """Return the content of its file."""
        head = {
            "format": FORMAT,
            "reducer": REDUCER_VERSION,
            "prefix": self.prefix.hex(),
            "through": self.seal.through,
            "end": self.seal.end,
            "durable": self.seal.durable,
            "chain": self.seal.chain.hex(),
            "sidecar": self.sidecar,
            "level": self.level,
        }
        content = b"\n".join((orjson.dumps(head), *self.packed))
        return b"%b\n%b" % (sha256(content).hexdigest().encode(), content)


def parse_snapshot(data: bytes) -> Snapshot | None:
    """Return what a file holds, None unless it is a whole snapshot of this reducer's making."""
    view = memoryview(data)
    start = _CHECKSUM + 1
    if data[:start] != sha256(view[start:]).hexdigest().encode() + b"\n":
        return None
    end = data.index(b"\n", start)
    head = orjson.loads(data[start:end])
    if head["format"] != FORMAT or head["reducer"] != REDUCER_VERSION:
        return None
    chain = bytes.fromhex(head["chain"])
    middle = data.index(b"\n", end + 1)
    return Snapshot(
        seal=Seal(head["through"], head["end"], head["durable"], chain),
        prefix=bytes.fromhex(head["prefix"]),
        packed=Packed(present=view[end + 1 : middle], indexes=view[middle + 1 :]),
        sidecar=head["sidecar"],
        level=head["level"],
    )


def sidecar_of(content: bytes, snapshot: Snapshot | None) -> Sidecar:
    """Return what a sidecar says; of the seals before the snapshot's own, nothing.

    That one vouches for all before it. Where it does not stand in its place, or something was
    repaired since, the sidecar is read in full.
    """
    if snapshot is None or not content.endswith(snapshot.seal.encode(), 0, snapshot.sidecar):
        return parse_sidecar(content)
    later = parse_sidecar(content[snapshot.sidecar :])
    if later.repairs:
        return parse_sidecar(content)
    return Sidecar(
        seals=(snapshot.seal, *later.seals),
        repairs=(),
        level=later.level or snapshot.level,
        length=snapshot.sidecar + later.length,
    )


def judge_from(snapshot: Snapshot | None, data: bytes, content: bytes | None) -> Verdict:
    """Return what ``judge`` returns, sooner where the snapshot serves.

    ``content`` is that of the sidecar, None when there is none.
    """
    if snapshot is not None:
        known = None if content is None else sidecar_of(content, snapshot)
        sound = resume(snapshot, data, known)
        if sound is not None:
            return sound
    return judge(data, None if content is None else parse_sidecar(content))


def resume(snapshot: Snapshot, data: bytes, sidecar: Sidecar | None) -> Sound | None:
    """Return the verdict on a log that the snapshot is of, when there is nothing to say of it.

    None means that the snapshot is of another log, or that this one is not sound.
    """
    start = snapshot.seal.end
    if len(data) < start or not data.endswith(b"\n"):
        return None
    if prefix_hash(data, start) != snapshot.prefix:
        return None
    ledger = Ledger.unpack(snapshot.packed, lambda place: data[place : data.index(b"\n", place)])
    proof = _applied(ledger, data, start=start, chain=snapshot.seal.chain)
    if proof is None:
        return None
    seals = sidecar.seals if sidecar is not None else ()
    if seals and proof.get(seals[-1].end) != seals[-1].chain:
        return None
    durable = max((seal.durable for seal in seals), default=0)
    return Sound(ledger, proof[len(data)], min(durable, ledger.state.next_seq - 1), start)


def _applied(ledger: Ledger, data: bytes, *, start: int, chain: bytes) -> dict[int, bytes] | None:
    """Apply the lines from ``start`` on; return the chain at each end, None where one is bad."""
    proof = {start: chain}
    while start < len(data):
        end = data.index(b"\n", start) + 1
        line = data[start:end]
        if isinstance(apply(ledger, line), Corrupt):
            return None
        start, chain = end, link(chain, line)
        proof[end] = chain
    return proof
