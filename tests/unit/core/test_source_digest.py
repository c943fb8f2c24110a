"""The running digest of the source entries is the digest of them all, whatever was asked before."""

from __future__ import annotations

from itertools import permutations

import pytest

from perdure.core.canonical import digest
from perdure.core.messages import Message
from perdure.core.source_digest import SourceDigest

IDS = ["a", "b", "c"]
MESSAGES: list[Message] = [
    {"role": "user", "content": "\u201cquoted\u201d"},
    {"role": "assistant", "content": None},
    {"role": "tool", "content": "", "tool_call_id": "call"},
]


def whole(ids: list[str], messages: list[Message]) -> str:
    """Return the digest of the entries as one value."""
    pairs = zip(ids, messages, strict=True)
    return digest([{"sourceEntryId": entry_id, "message": message} for entry_id, message in pairs])


@pytest.mark.parametrize("counts", list(permutations(range(4))))
def test_in_any_order(counts: tuple[int, ...]) -> None:
    digests = SourceDigest(IDS, MESSAGES)
    for count in counts:
        assert digests.of(count) == whole(IDS[:count], MESSAGES[:count])


def test_what_was_added_counts() -> None:
    ids, messages = IDS[:1], MESSAGES[:1]
    digests = SourceDigest(ids, messages)
    digests.of(1)
    ids += IDS[1:]
    messages += MESSAGES[1:]
    assert digests.of(3) == whole(IDS, MESSAGES)


@pytest.mark.parametrize("asked", range(4))
def test_what_was_taken_back_does_not(asked: int) -> None:
    ids, messages = IDS[:], MESSAGES[:]
    digests = SourceDigest(ids, messages)
    digests.of(asked)
    del ids[1:], messages[1:]
    digests.forget(1)
    ids.append("other")
    messages.append({"role": "user", "content": "other"})
    assert digests.of(2) == whole(ids, messages)
