"""Torn or damaged? The verdict on a log and its sidecar. Pure.

::

    Sound     every complete line is valid, and nothing that was sealed is missing or different
    Torn      the end was being written when the process (R1) or the power (R5) went: cut it
    Damaged   anything else: sealed bytes differ, synced facts are gone, a line breaks the format

The rules, in their order (``s`` is the seq of the first fact that cannot be read):

====  =========================================================================================
R1    bytes after the last LF are torn, unless they are a sealed line whose LF was altered
R2    a later line still fits its seal, which says that ``s`` was synced: damaged
R3    any seal says that ``s`` was synced: damaged
R4    no sector from the bad line on is blank, so no lost write explains it: damaged
R5    else the power went before those sectors were written: torn
R6    damaged: nothing is written, the lines before may be read and copied
====  =========================================================================================

Without a sidecar every bad line is damage. A sector is blank when the part of it that lies within
the range is all zero: the sector in which the good lines end keeps their bytes.

Seals may be damaged too. One that a later, fitting seal covers is of no consequence, and a chain
that is wrong in a single digit is a blot on the sidecar: those of another log differ in about 30.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypeAlias

from perdure.core.reducer.ledger import Ledger
from perdure.core.reducer.outcome import Corrupt
from perdure.core.reducer.session import load_ledger
from perdure.core.state import SessionState
from perdure.store._valid_part import valid_part
from perdure.store.seal import Rule, Seal, Sidecar, chains, link

SECTOR = 512
_SHOWN = 12
"""Hex digits of a chain that are enough to tell it from another."""


@dataclass(frozen=True, slots=True)
class Sound:
    """The log stands as it is. ``chain`` is the one after its last line.

    The first ``covered`` bytes were not reduced: a snapshot of them was at hand.
    """

    ledger: Ledger
    chain: bytes
    durable: int
    covered: int = 0


@dataclass(frozen=True, slots=True)
class Torn:
    """The log stands up to ``offset``; ``ledger`` and ``chain`` are those of that part.

    With R5 there may be no bytes to cut: sealed lines that never reached the disk are missing.
    """

    ledger: Ledger
    chain: bytes
    offset: int
    rule: Rule
    reason: str


@dataclass(frozen=True, slots=True)
class Damaged:
    """The lines before ``offset`` stand, those from there on do not.

    ``reason`` is the reducer's code, ``CHAIN_MISMATCH`` (sealed bytes differ), ``SYNCED_LOST``
    (the file ends before what was synced) or ``LF_ALTERED``. ``line`` counts from 1, ``seq`` is
    the first fact that does not stand. The chains, hex, are there when a seal tells them.
    ``stands`` is what the lines before mean, None when not even the header stands.
    """

    reason: str
    line: int
    offset: int
    seq: int | None
    rule: Rule
    stands: SessionState | None = field(default=None, repr=False)
    expected: str | None = None
    actual: str | None = None

    def __str__(self) -> str:
        """Say where and what: ``line 3, byte 517: MALFORMED_JSON``."""
        chains = ""
        if self.expected is not None:
            actual = "another" if self.actual is None else self.actual[:_SHOWN]
            chains = f" (sealed as {self.expected[:_SHOWN]}, is {actual})"
        return f"line {self.line}, byte {self.offset}: {self.reason}{chains}"


Verdict: TypeAlias = Sound | Torn | Damaged


def judge(data: bytes, sidecar: Sidecar | None) -> Verdict:
    """Judge the content of a log by its sidecar, None when it has none. Never raises."""
    ledger, fault = valid_part(data)
    if isinstance(ledger, Corrupt):
        return Damaged(ledger.code, ledger.line, ledger.offset, ledger.seq, "R6")
    good = ledger.state.repaired_length
    seals = sidecar.seals if sidecar is not None else ()
    chain, fits = _last_chain(data, good, seals)
    unfit: Sequence[Seal] = ()
    if not fits:
        proof = dict(chains(data, length=good))
        unfit = _not_fitting(proof, seals)
        for seal in unfit:
            if seal.end <= good and not _is_blot(seal, proof):
                return _mismatch(data, proof, seals, seal)
    case = _Case(
        data=data,
        ledger=ledger,
        chain=chain,
        ahead=[seal for seal in unfit if seal.end > good],
        durable=max((seal.durable for seal in seals), default=0),
        vouched=len(unfit) < len(seals),
    )
    return case.judge_end() if fault is None else case.judge_bad_line(fault)


def has_blank_sector(data: bytes, *, start: int) -> bool:
    """Return whether one of the 512-byte sectors from ``start`` on holds zeros only."""
    edges = [start, *range(start - start % SECTOR + SECTOR, len(data), SECTOR), len(data)]
    return any(not data[begin:end].strip(b"\0") for begin, end in pairwise(edges))


@dataclass(frozen=True, slots=True)
class _Case:
    """A log that is valid, and agrees with its seals, up to the end of ``ledger``.

    ``ahead`` are the seals of what should follow; ``vouched`` says that a seal fits this log.
    """

    data: bytes
    ledger: Ledger
    chain: bytes
    ahead: Sequence[Seal]
    durable: int
    vouched: bool

    @property
    def good(self) -> int:
        return self.ledger.state.repaired_length

    @property
    def seq(self) -> int:
        return self.ledger.state.next_seq

    def judge_end(self) -> Verdict:
        """Every complete line is valid: is something torn, or missing?"""
        tail = self.data[self.good :]
        if self._is_sealed_line(tail):
            return self._damaged("LF_ALTERED", "R1")
        if any(seal.durable >= self.seq for seal in self.ahead):
            return self._damaged("SYNCED_LOST", "R3")
        if tail:
            return self._torn("R1", "the last line was never finished")
        if self.ahead:
            return self._torn("R5", "lines that were written never reached the disk")
        return Sound(self.ledger, self.chain, min(self.durable, self.seq - 1))

    def judge_bad_line(self, fault: Corrupt) -> Verdict:
        """The line after the good ones breaks the format."""
        if not self.vouched:
            return self._damaged(fault.code, "R6", fault.seq)
        if self._later_line_was_synced():
            return self._damaged(fault.code, "R2", fault.seq)
        if any(seal.durable >= self.seq for seal in self.ahead):
            return self._damaged(fault.code, "R3", fault.seq)
        if not has_blank_sector(self.data, start=self.good):
            return self._damaged(fault.code, "R4", fault.seq)
        return self._torn("R5", "sectors were never written")

    def _is_sealed_line(self, tail: bytes) -> bool:
        """Return whether ``tail`` fits a seal once its line feed is put back."""
        ends = [seal for seal in self.ahead if seal.end - self.good <= len(tail)]
        return any(
            link(self.chain, tail[: seal.end - self.good - 1] + b"\n") == seal.chain
            for seal in ends
        )

    def _later_line_was_synced(self) -> bool:
        return any(
            after.durable >= self.seq
            and link(before.chain, self.data[before.end : after.end]) == after.chain
            for before, after in pairwise(self.ahead)
        )

    def _torn(self, rule: Rule, reason: str) -> Torn:
        return Torn(self.ledger, self.chain, self.good, rule, reason)

    def _damaged(self, reason: str, rule: Rule, seq: int | None = None) -> Damaged:
        end = self.data.find(b"\n", self.good) + 1 or len(self.data)
        sealed = next((seal for seal in self.ahead if seal.end == end), None)
        damaged = Damaged(
            reason=reason,
            line=self.ledger.line_count + 1,
            offset=self.good,
            seq=seq or self.seq,
            rule=rule,
            stands=self.ledger.state,
        )
        if sealed is None:
            return damaged
        actual = link(self.chain, self.data[self.good : end])
        return replace(damaged, expected=sealed.chain.hex(), actual=actual.hex())


def _last_chain(data: bytes, length: int, seals: Sequence[Seal]) -> tuple[bytes, bool]:
    """Return the chain at ``length``, and whether the last seal fits: it vouches for all others."""
    fits = not seals
    chain = b""
    for end, chain in chains(data, length=length):
        if seals and end == seals[-1].end:
            fits = chain == seals[-1].chain
    return chain, fits


def _not_fitting(proof: Mapping[int, bytes], seals: Sequence[Seal]) -> Sequence[Seal]:
    """Return the seals behind the last one that fits the log; it vouches for those before it."""
    known = set(proof.values())
    fitting = [number for number, seal in enumerate(seals, start=1) if seal.chain in known]
    return seals[fitting[-1] if fitting else 0 :]


def _is_blot(seal: Seal, proof: Mapping[int, bytes]) -> bool:
    actual = proof.get(seal.end, b"").hex()
    wrong = sum(left != right for left, right in zip(seal.chain.hex(), actual, strict=False))
    return bool(actual) and wrong <= 1


def _mismatch(
    data: bytes, proof: Mapping[int, bytes], seals: Sequence[Seal], seal: Seal
) -> Damaged:
    """Report the first line that no fitting seal vouches for."""
    known = {chain: end for end, chain in proof.items()}
    offset = max((known[fit.chain] for fit in seals if fit.chain in known), default=0)
    before = load_ledger(data[:offset]) if offset else None
    stands = before.state if isinstance(before, Ledger) else None
    actual = proof.get(seal.end)
    return Damaged(
        reason="CHAIN_MISMATCH",
        line=data.count(b"\n", 0, offset) + 1,
        offset=offset,
        seq=None if stands is None else stands.next_seq,
        rule="R6",
        stands=stands,
        expected=seal.chain.hex(),
        actual=None if actual is None else actual.hex(),
    )
