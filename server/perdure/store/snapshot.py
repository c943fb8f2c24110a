"""``S.snapshot``: the reduced state of the start of a log, so that opening need not reduce it.

::

    <64 hex>                                                      SHA-256 of all that follows
    {"format":1,"reducer":V,"offset":O,"chain":C,"prefix":P}      P: SHA-256 of the first O bytes
    …                                                             the packed ledger

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
from perdure.core.reducer.session import apply
from perdure.core.reducer.version import REDUCER_VERSION
from perdure.store.seal import Sidecar, link
from perdure.store.verdict import Sound, Verdict, judge

FORMAT = 1
_HEAD = b'{"format":%d,"reducer":"%b","offset":%d,"chain":"%b","prefix":"%b"}\n'
_CHECKSUM = 64
"""Hex digits of the first line."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """``packed`` is the ledger of the first ``offset`` bytes of a log.

    ``chain`` is the one of the sidecar there, ``prefix`` the SHA-256 of those bytes.
    """

    offset: int
    chain: bytes
    prefix: bytes
    packed: bytes

    def encode(self) -> bytes:
        """Return the content of its file."""
        head = _HEAD % (
            FORMAT,
            REDUCER_VERSION.encode(),
            self.offset,
            self.chain.hex().encode(),
            self.prefix.hex().encode(),
        )
        content = head + self.packed
        return b"%b\n%b" % (sha256(content).hexdigest().encode(), content)


def parse_snapshot(data: bytes) -> Snapshot | None:
    """Return what a file holds, None unless it is a whole snapshot of this core's making."""
    content = memoryview(data)[_CHECKSUM + 1 :]
    if data[: _CHECKSUM + 1] != sha256(content).hexdigest().encode() + b"\n":
        return None
    end = data.find(b"\n", _CHECKSUM + 1) + 1
    head = orjson.loads(data[_CHECKSUM + 1 : end])
    if head["format"] != FORMAT or head["reducer"] != REDUCER_VERSION:
        return None
    return Snapshot(
        offset=head["offset"],
        chain=bytes.fromhex(head["chain"]),
        prefix=bytes.fromhex(head["prefix"]),
        packed=data[end:],
    )


def judge_from(snapshot: Snapshot | None, data: bytes, sidecar: Sidecar | None) -> Verdict:
    """Return what ``judge`` returns, sooner where the snapshot serves."""
    sound = None if snapshot is None else resume(snapshot, data, sidecar)
    return judge(data, sidecar) if sound is None else sound


def resume(snapshot: Snapshot, data: bytes, sidecar: Sidecar | None) -> Sound | None:
    """Return the verdict on a log that the snapshot is of, when there is nothing to say of it.

    None means that the snapshot is of another log, or that this one is not sound.
    """
    start = snapshot.offset
    if len(data) < start or not data.endswith(b"\n"):
        return None
    if sha256(memoryview(data)[:start]).digest() != snapshot.prefix:
        return None
    ledger = Ledger.unpack(snapshot.packed, lambda place: data[place : data.index(b"\n", place)])
    proof = _applied(ledger, data, start=start, chain=snapshot.chain)
    if proof is None:
        return None
    seals = sidecar.seals if sidecar is not None else ()
    if seals and proof.get(seals[-1].end) != seals[-1].chain:
        return None
    durable = max((seal.durable for seal in seals), default=0)
    return Sound(ledger, proof[len(data)], min(durable, ledger.state.next_seq - 1), snapshot.offset)


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
