"""Facts: the smallest durable units of a session (session-format sections 4, 5 and 8).

Wire objects, typed (see ``messages``). A *draft* is what a caller hands to the store: a fact
whose ``seq``, ``timestamp`` and (unless something refers to it) ``id`` the store assigns.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from perdure.core.entries import Entry
from perdure.core.messages import NonEmpty
from perdure.core.records import Record
from perdure.core.scalars import Id, Natural, Positive


class Header(TypedDict):
    """Line 1 of a session file (section 4)."""

    kind: Literal["header"]
    version: Literal[2]
    id: Id
    createdAt: Natural
    cwd: NonEmpty
    provider: NonEmpty
    model: NonEmpty
    environmentIdentity: NonEmpty


# --- usage (section 8) and envelopes (section 5) --------------------------------------------


class UsageCounters(TypedDict):
    """Tokens; ``input`` excludes cache reads and writes."""

    input: Natural
    output: Natural
    cacheRead: Natural
    cacheWrite: Natural


class EntryFact(TypedDict):
    """Envelope of an entry."""

    kind: Literal["entry"]
    seq: Positive
    id: Id
    timestamp: Natural
    entry: Entry


class RecordFact(TypedDict):
    """Envelope of a record."""

    kind: Literal["record"]
    seq: Positive
    id: Id
    timestamp: Natural
    record: Record


class UsageFact(TypedDict):
    """Tokens of one attempt or one tool intent."""

    kind: Literal["usage"]
    seq: Positive
    id: Id
    timestamp: Natural
    operationId: Id
    attemptId: NotRequired[Id]
    toolStartedId: NotRequired[Id]
    usage: UsageCounters


Fact: TypeAlias = EntryFact | RecordFact | UsageFact

# --- drafts ---------------------------------------------------------------------------------


class EntryDraft(TypedDict):
    """An entry to commit."""

    kind: Literal["entry"]
    id: NotRequired[str]
    entry: Entry


class RecordDraft(TypedDict):
    """A record to commit."""

    kind: Literal["record"]
    id: NotRequired[str]
    record: Record


class UsageDraft(TypedDict):
    """A usage fact to commit."""

    kind: Literal["usage"]
    id: NotRequired[str]
    operationId: str
    attemptId: NotRequired[str]
    toolStartedId: NotRequired[str]
    usage: UsageCounters


Draft: TypeAlias = EntryDraft | RecordDraft | UsageDraft
