"""Which messages may follow each other (session-format section 9).

Between an answer with calls and the next user or assistant message stands exactly one result for
each call. Calls that still wait at the end are legal: that is a session at work.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter

from perdure.core.messages import Message, calls_of

NOTHING_WAITS: frozenset[str] = frozenset()

_id_of = itemgetter("id")


def follow(waiting: frozenset[str], message: Message) -> frozenset[str] | None:
    """Return the call ids that wait for a result after ``message``, None when it is illegal."""
    if message["role"] == "tool":
        call_id = message["tool_call_id"]
        return waiting - {call_id} if call_id in waiting else None
    if waiting:
        return None
    calls = calls_of(message)
    return frozenset(map(_id_of, calls)) if calls else NOTHING_WAITS


def is_legal(messages: Iterable[Message]) -> bool:
    """Tell whether ``messages`` alone are a legal transcript."""
    waiting = NOTHING_WAITS
    for message in messages:
        following = follow(waiting, message)
        if following is None:
            return False
        waiting = following
    return True
