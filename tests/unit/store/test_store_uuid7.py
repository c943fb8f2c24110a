"""Ids of version 7: their form, and that each is greater than the one before."""

from __future__ import annotations

import random

import pytest

from perdure.core.ids import is_uuid7
from perdure.store._uuid7 import Uuid7


def test_ids_have_the_form_and_the_time_of_version_7() -> None:
    new_id = Uuid7(now=lambda: 0x018F_1234_5678, random_bits=lambda bits: (1 << bits) - 1)
    assert new_id() == "018f1234-5678-7fff-bfff-ffffffffffff"


@pytest.mark.parametrize(
    "times",
    [
        pytest.param([5] * 2000, id="same millisecond"),
        pytest.param([9, 8, 7, 9, 10], id="clock goes back"),
        pytest.param(range(2000), id="clock goes on"),
    ],
)
def test_every_id_is_greater_than_the_one_before(times: list[int]) -> None:
    clock = iter(times)
    new_id = Uuid7(now=lambda: next(clock), random_bits=random.Random(1).getrandbits)
    ids = [new_id() for _ in times]
    assert ids == sorted(set(ids))
    assert all(map(is_uuid7, ids))


def test_exhausted_random_bits_carry_into_the_time() -> None:
    new_id = Uuid7(now=lambda: 5, random_bits=lambda bits: (1 << bits) - 1)
    first, second = new_id(), new_id()
    assert first < second
    assert is_uuid7(second)
