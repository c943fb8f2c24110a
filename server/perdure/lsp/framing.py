"""Frames of the base protocol: ``Content-Length: N``, an empty line, N bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from perdure.errors import PerdureError

MAX_HEADER = 8 * 1024
"""Bytes; a longer header block is no header."""

MAX_BODY = 256 * 1024 * 1024
"""Bytes; a larger body is refused, since it would have to be held in memory."""

_CHUNK = 64 * 1024
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,12})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)


class FramingError(PerdureError):
    """The stream is not a sequence of frames; where the next one begins cannot be known."""

    code = "framing_error"


def frame(body: bytes) -> bytes:
    """Return ``body`` with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def read_frames(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield body after body until ``read`` returns b""; a cut last frame is dropped.

    Header names are compared without regard to case, other headers are skipped.

    Raises:
        FramingError: no usable header.
        OSError: what ``read`` raises.
    """
    buffer = bytearray()
    while True:
        while (end := buffer.find(b"\r\n\r\n", 0, MAX_HEADER)) < 0:
            if len(buffer) >= MAX_HEADER:
                raise FramingError("no end of the header within 8 KiB")
            if not _fill(buffer, read):
                return
        length = _content_length(bytes(buffer[:end]))
        del buffer[: end + 4]
        while len(buffer) < length:
            if not _fill(buffer, read):
                return
        yield bytes(buffer[:length])
        del buffer[:length]


def _fill(buffer: bytearray, read: Callable[[int], bytes]) -> bool:
    chunk = read(_CHUNK)
    buffer += chunk
    return bool(chunk)


def _content_length(header: bytes) -> int:
    found = _LENGTH.search(header)
    if found is None:
        raise FramingError("a header without Content-Length")
    length = int(found[1])
    if length > MAX_BODY:
        raise FramingError(f"a message of {length} bytes is larger than {MAX_BODY}")
    return length
