"""Usage facts (session-format section 8).

Tokens belong to one attempt or one intent of a known operation, finished or not. The sums are
the only account, and they stay exact integers.
"""

from __future__ import annotations

from operator import add
from typing import cast

from perdure.core.facts import UsageCounters, UsageFact
from perdure.core.reducer.books import Books
from perdure.core.reducer.fields import Form, closed, found, reference
from perdure.core.reducer.outcome import Refusal
from perdure.core.scalars import MAX_INTEGER
from perdure.core.state import Usage
from perdure.json_types import JsonObject

_KEYS = frozenset(UsageFact.__annotations__)
_COUNTERS = Form(*UsageCounters.__annotations__)
_COUNTER_TYPES = frozenset({int})


def usage_fact(books: Books, fact: JsonObject) -> None:
    """Add tokens to the sums."""
    closed(fact, _KEYS)
    operation_id = reference(fact.get("operationId"), books.operations)
    if ("attemptId" in fact) == ("toolStartedId" in fact):
        raise Refusal("INVALID_FACT")
    if "attemptId" in fact:
        owner = found(fact["attemptId"], books.attempts).operation_id
    else:
        owner = found(fact["toolStartedId"], books.intents).operation_id
    if owner != operation_id:
        raise Refusal("INVALID_REFERENCE")
    counters = cast("tuple[int, ...]", _COUNTERS.of(fact.get("usage")))
    if not _COUNTER_TYPES.issuperset(map(type, counters)) or min(counters) < 0:
        raise Refusal("INVALID_FACT")
    sums = Usage._make(map(add, books.now.usage, counters))
    if max(sums) > MAX_INTEGER:
        raise Refusal("INVALID_FACT")
    books.now.usage = sums
