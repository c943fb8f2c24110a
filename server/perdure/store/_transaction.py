"""From drafts to the bytes of one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias, cast

from perdure.core.codec import NotEncodable, encode_and_read
from perdure.core.facts import Draft, Fact
from perdure.errors import RejectedTransaction

Facts: TypeAlias = tuple[Fact, ...]


class Transaction(NamedTuple):
    """A line of the log with its LF; ``through`` is the seq of its last fact."""

    line: bytes
    through: int


def stamp(
    drafts: Sequence[Draft], *, next_seq: int, timestamp: int, new_id: Callable[[], str]
) -> Facts:
    """Give each draft its seq, its id unless it has one, and the transaction's timestamp in ms.

    No draft brings its own seq or timestamp. The contents are not judged.
    """
    facts: list[Fact] = []
    for seq, draft in enumerate(drafts, start=next_seq):
        # In the order in which they stand in the line, before what the draft brings.
        fact: dict[str, object] = {
            "kind": draft["kind"],
            "seq": 0,
            "id": draft["id"] if "id" in draft else new_id(),
            "timestamp": 0,
        }
        fact.update(draft)
        fact["seq"] = seq
        fact["timestamp"] = timestamp
        facts.append(cast("Fact", fact))
    return tuple(facts)


def encode(facts: Facts) -> tuple[Facts, bytes]:
    """Return the line of the transaction and the facts as whoever reads that line finds them.

    What is judged and published is thus what a reopening will see, and shares nothing with the
    caller's objects. Raises ``RejectedTransaction`` for what JSON cannot carry (a lone surrogate,
    say) and for an empty transaction.
    """
    if not facts:
        raise RejectedTransaction("A transaction needs a fact.", code="EMPTY_TRANSACTION")
    try:
        line, value = encode_and_read(facts[0] if len(facts) == 1 else list(facts))
    except NotEncodable as error:
        raise RejectedTransaction(str(error), code="MALFORMED_JSON") from error
    return tuple(cast("list[Fact]", value if isinstance(value, list) else [value])), line
