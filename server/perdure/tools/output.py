"""What the model is told of captured output, in constant memory.

Over 2,000 lines or over 51,200 bytes: the last 51,200 bytes, moved to a UTF-8 boundary, then at
most the last 2,000 lines of those; the complete capture goes to a file. Lines end at LF and at
nothing else. Bytes that are not UTF-8 are shown as U+FFFD.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from perdure.tools.own_files import private_folder
from perdure.tools.text import with_notes

MAX_LINES = 2_000
MAX_BYTES = 50 * 1024
NO_OUTPUT = "(no output)"
_CAPPED_LABEL = "Captured output; command exceeded the 10MB safety cap"
_CAPPED_NOTE = "Bash output exceeded the 10MB safety cap; complete output was not captured."
_CHUNK = 65_536
_BINARY_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class _Scan:
    """What one pass over the captured bytes finds out."""

    size: int
    lines: int
    has_nul: bool
    tail: bytes


def shown_output(
    streams: Sequence[Path], *, complete: Path, capped: bool, notes: Sequence[str] = ()
) -> str:
    """Return the text for the model: stdout then stderr, cut to its tail, then the notes.

    ``complete`` is where everything captured is stored, if it is not all shown. ``capped`` tells
    that the capture itself ended at the cap.
    """
    scan = _scanned(streams)
    body = scan.tail.decode("utf-8", "replace")
    closing = [_CAPPED_NOTE, *notes] if capped else list(notes)
    label = f"{_CAPPED_LABEL if capped else 'Full output'}: {complete}"
    if _is_binary(scan, body):
        _store(streams, complete)
        return with_notes(f"[Binary output, {scan.size} bytes. {label}]", closing)
    tail = _last_lines(_last_bytes(body))
    if scan.size == len(scan.tail) and len(tail) == len(body):
        return with_notes(body or ("" if closing else NO_OUTPUT), closing)
    _store(streams, complete)
    first = scan.lines - _count_lines(tail.encode()) + 1
    position = f"[Showing lines {first}-{scan.lines} of {scan.lines}. {label}]"
    return with_notes(tail, [position, *closing])


def _scanned(streams: Sequence[Path]) -> _Scan:
    size = 0
    line_ends = 0
    has_nul = False
    tail = b""
    for chunk in _chunks(streams):
        size += len(chunk)
        line_ends += chunk.count(b"\n")
        has_nul = has_nul or b"\0" in chunk
        tail = (tail + chunk)[-MAX_BYTES:]
    if size > len(tail):
        tail = _from_character_boundary(tail)
    has_open_line = tail != b"" and not tail.endswith(b"\n")
    return _Scan(size, line_ends + has_open_line, has_nul, tail)


def _chunks(streams: Sequence[Path]) -> Iterator[bytes]:
    for path in streams:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk


def _from_character_boundary(data: bytes) -> bytes:
    """Drop the rest of a character that was cut in front."""
    start = 0
    while start < min(3, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:]


def _is_binary(scan: _Scan, body: str) -> bool:
    replaced = body.count("\N{REPLACEMENT CHARACTER}")
    return scan.has_nul or replaced > _BINARY_SHARE * len(body)


def _last_bytes(text: str) -> str:
    """Replacement characters are longer than what they stand for: cut once more."""
    encoded = text.encode()
    if len(encoded) <= MAX_BYTES:
        return text
    return _from_character_boundary(encoded[-MAX_BYTES:]).decode()


def _last_lines(text: str) -> str:
    lines = text.split("\n")
    most = MAX_LINES + (1 if lines[-1] == "" else 0)
    return "\n".join(lines[-most:])


def _count_lines(data: bytes) -> int:
    return data.count(b"\n") + (data != b"" and not data.endswith(b"\n"))


def _store(streams: Sequence[Path], complete: Path) -> None:
    private_folder(complete.parent)
    descriptor = os.open(complete, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as target:
        for path in streams:
            with path.open("rb") as source:
                shutil.copyfileobj(source, target)
