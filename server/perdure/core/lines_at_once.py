"""Many lines at once: what ``framing`` and ``codec`` do for each line, for a part of a file.

It serves files as our own writer leaves them, whose lines ``orjson`` writes back byte for byte. The
proof of a line (see ``codec``) is made for all lines of a part together: each is a JSON value by
itself, and a list of such values can be cut at its commas in one way only, so if two lists are
equal, so are their items. A line that is blank, ends with CR, is not UTF-8 or is not proven spoils
it. What is wrong then, and whether anything is, only a look at each line in its turn can tell.
"""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from perdure.core.framing import committed_length
from perdure.json_types import JsonValue

PART = 64 * 1024
"""Bytes that are read at once, or one line; with their values they stay in a processor's cache."""

_AROUND = 64
"""Arrays around the values while they are written. ``orjson`` writes 254 levels and no more, so
what is proven is well within ``codec.MAX_READ_DEPTH``."""


def parts(data: bytes) -> Iterator[list[bytes]]:
    """Yield the committed lines, without their LF, some at a time."""
    start = 0
    length = committed_length(data)
    while start < length:
        end = data.rfind(b"\n", start, start + PART) + 1 or data.index(b"\n", start) + 1
        yield data[start : end - 1].split(b"\n")
        start = end


def parse_lines(lines: list[bytes]) -> list[JsonValue] | None:
    """Return the values of lines; None when they must be looked at one by one."""
    try:
        values: list[JsonValue] = [orjson.loads(line) for line in lines]
        written = orjson.dumps(_surrounded(values))
    except (ValueError, TypeError):
        return None
    proven = written == b"%b%b%b" % (b"[" * _AROUND, b",".join(lines), b"]" * _AROUND)
    return values if proven else None


def _surrounded(value: JsonValue) -> JsonValue:
    for _ in range(_AROUND - 1):
        value = [value]
    return value
