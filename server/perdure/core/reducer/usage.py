"""Usage facts (session-format section 8).

Tokens belong to one attempt or one intent of a known operation, finished or not. The sums are
the only account, and they stay exact integers.
"""

from __future__ import annotations

from perdure.core.facts import MAX_INTEGER
from perdure.core.reducer.books import Books
from perdure.core.reducer.fields import closed, identifier, integer, reference
from perdure.core.reducer.outcome import Refusal
from perdure.core.state import Usage
from perdure.json_types import JsonObject

_COUNTER_KEYS = frozenset({"input", "output", "cacheRead", "cacheWrite"})


def usage_fact(books: Books, fact: JsonObject) -> None:
    """Add tokens to the sums; the keys of the envelope are known to be right."""
    operation_id = reference(fact.get("operationId"), books.operations)
    if ("attemptId" in fact) == ("toolStartedId" in fact):
        raise Refusal("INVALID_FACT")
    if "attemptId" in fact:
        attempt = books.attempts.get(identifier(fact["attemptId"], books.attempts))
        owner = None if attempt is None else attempt.operation_id
    else:
        intent = books.intents.get(identifier(fact["toolStartedId"], books.intents))
        owner = None if intent is None else intent.operation_id
    if owner != operation_id:
        raise Refusal("INVALID_REFERENCE")
    counters = closed(fact.get("usage"), _COUNTER_KEYS)
    sums = books.now.usage
    books.now.usage = Usage(
        input=_sum(sums.input, counters, "input"),
        output=_sum(sums.output, counters, "output"),
        cache_read=_sum(sums.cache_read, counters, "cacheRead"),
        cache_write=_sum(sums.cache_write, counters, "cacheWrite"),
    )


def _sum(before: int, counters: JsonObject, key: str) -> int:
    total = before + integer(counters.get(key))
    if total > MAX_INTEGER:
        raise Refusal("INVALID_FACT")
    return total
