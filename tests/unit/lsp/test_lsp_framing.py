"""Frames of the base protocol."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import pytest

from perdure.lsp.framing import MAX_BODY, FramingError, frame, read_frames

BODIES = [b"{}", b"", "äöü €".encode(), b"Content-Length: 5\r\n\r\nhello", b"x" * 200_000]


def _in_pieces(data: bytes, size: int) -> Callable[[int], bytes]:
    stream = BytesIO(data)
    return lambda wanted: stream.read(min(size, wanted))


@pytest.mark.parametrize("size", [1, 7, 8192, 1 << 20])
def test_bodies_come_back_however_they_are_cut(size: int) -> None:
    data = b"".join(frame(body) for body in BODIES)
    assert list(read_frames(_in_pieces(data, size))) == BODIES


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: 2",
        b"CONTENT-LENGTH:2",
        b"Content-Type: text/plain\r\nContent-Length: 2",
        b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8",
    ],
)
def test_headers_are_read_with_tolerance(header: bytes) -> None:
    assert list(read_frames(_in_pieces(header + b"\r\n\r\n{}", 64))) == [b"{}"]


@pytest.mark.parametrize("data", [b"", b"Content-Length: 5\r\n", b"Content-Length: 5\r\n\r\nhell"])
def test_a_cut_frame_is_dropped(data: bytes) -> None:
    assert list(read_frames(_in_pieces(data, 64))) == []


@pytest.mark.parametrize(
    "data",
    [
        b"hello\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: five\r\n\r\nhello",
        b"Content-Length: %d\r\n\r\n" % (MAX_BODY + 1),
        b"x" * 10_000,
    ],
)
def test_what_has_no_header_is_no_stream(data: bytes) -> None:
    with pytest.raises(FramingError):
        list(read_frames(_in_pieces(data, 4096)))
