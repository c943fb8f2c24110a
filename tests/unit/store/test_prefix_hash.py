"""The hash of what a snapshot covers: the same whichever way the bytes come."""

from __future__ import annotations

import random
from hashlib import sha256

import pytest

from perdure.store._prefix_hash import PIECE, PrefixHash, prefix_hash

LENGTHS = [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE + 5]
DATA = random.Random(1).randbytes(max(LENGTHS) + 9)


@pytest.mark.parametrize("length", LENGTHS)
def test_bytes_that_come_in_parts_have_the_hash_of_the_whole(length: int) -> None:
    dice = random.Random(length)
    hashed = PrefixHash()
    at = 0
    while at < length:
        end = min(at + dice.choice([1, 1_000, PIECE, 2 * PIECE + 1]), length)
        hashed.update(DATA[at:end])
        at = end
    assert hashed.digest() == prefix_hash(DATA, length)


def test_it_is_the_hash_of_the_hashes_of_pieces() -> None:
    whole = [DATA[:PIECE], DATA[PIECE : 2 * PIECE], DATA[2 * PIECE : 2 * PIECE + 3]]
    expected = sha256(b"".join(sha256(piece).digest() for piece in whole)).digest()
    assert prefix_hash(DATA, 2 * PIECE + 3) == expected


def test_one_processor_does_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    together = prefix_hash(DATA, len(DATA))
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert prefix_hash(DATA, len(DATA)) == together
