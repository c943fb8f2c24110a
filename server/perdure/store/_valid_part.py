"""How far a log keeps the format: the lines before the first bad one."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from perdure.core.reducer.ledger import Ledger
from perdure.core.reducer.outcome import Corrupt
from perdure.core.reducer.session import load_ledger

ValidPart: TypeAlias = tuple[Ledger, Corrupt | None] | tuple[Corrupt, None]


def valid_part(data: bytes) -> ValidPart:
    """Return the ledger of the lines before the first bad one, and what is wrong with that one.

    When the header is bad there is no ledger, only what is wrong. The format looks at the
    encoding of the whole file first (section 2, F3 and F4), so the reducer may well complain of
    a line behind the first bad one.
    """
    fault: Corrupt | None = None
    while isinstance(reduced := load_ledger(data), Corrupt):
        fault = _located(data, reduced)
        if fault.offset == 0:
            return fault, None
        data = data[: fault.offset]
    return reduced, fault


def _located(data: bytes, fault: Corrupt) -> Corrupt:
    """Name the line that is not UTF-8; the format blames line 1 (F4)."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if fault.code == "INVALID_UTF8":
            offset = data.rfind(b"\n", 0, error.start) + 1
            return replace(fault, line=data.count(b"\n", 0, offset) + 1, offset=offset)
    return fault
