"""A span as a value, before anything of OpenTelemetry is imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

Value: TypeAlias = str | bool | int | float | Sequence[str]


@dataclass(frozen=True, slots=True)
class Span:
    """Something that has ended. Times are ms since the epoch; ``error`` is a code, "" for none.

    The ids follow from those of the facts, so that what a crash parted is one trace.
    """

    name: str
    trace_id: int
    span_id: int
    parent_id: int | None
    start: int
    end: int
    attributes: Mapping[str, Value]
    error: str = ""


def trace_id(operation_id: str) -> int:
    """Return the trace of an operation."""
    return UUID(operation_id).int


def span_id(fact_id: str) -> int:
    """Return the span of what a UUIDv7 names: the random half of it."""
    return UUID(fact_id).int & 0xFFFF_FFFF_FFFF_FFFF
