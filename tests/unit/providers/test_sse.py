"""Server-sent events: what counts as a line, an event, the end."""

from __future__ import annotations

import pytest

from perdure.providers.sse import ServerEvent, SseDecoder

STREAMS = {
    "lf": (b"data: a\n\ndata: b\n\n", ["a", "b"]),
    "crlf": (b"data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]),
    "cr": (b"data: a\r\rdata: b\r\r", ["a", "b"]),
    "mixed": (b"data: a\n\r\ndata: b\r\n\n", ["a", "b"]),
    "byte order mark": (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
    "comments": (b": ping\n\n:\ndata: a\n: x\n\n:\n\n", ["a"]),
    "several data lines": (b"data: a\ndata:b\ndata:  c\n\n", ["a\nb\n c"]),
    "several data lines with crlf": (b"data: a\r\ndata: b\r\n\r\n", ["a\nb"]),
    "no data": (b"\n\ndata:\n\ndata: \n\nevent: x\n\nid: 1\n\n", []),
    "unterminated": (b"data: a\n\ndata: b", ["a", "b"]),
    "unterminated line end": (b"data: a\n\ndata: b\n", ["a", "b"]),
    "other line ends are text": (
        "data: a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\n\n".encode(),
        ["a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg"],
    ),
    "split characters": ("data: 你好 🦀\n\n".encode(), ["你好 🦀"]),
    "invalid utf-8": (b"data: a\xff\xfeb\n\n", ["a\ufffd\ufffdb"]),
    "empty": (b"", []),
}


@pytest.mark.hazard("same stream in pieces of 1, 7 and 8192 bytes, with comments, pings and CRLF")
@pytest.mark.parametrize("size", [1, 2, 7, 8192])
@pytest.mark.parametrize(("stream", "data"), STREAMS.values(), ids=STREAMS.keys())
def test_events_do_not_depend_on_the_pieces(stream: bytes, data: list[str], size: int) -> None:
    decoder = SseDecoder()
    events: list[ServerEvent] = []
    for start in range(0, len(stream), size):
        events += decoder.feed(stream[start : start + size])
        events += decoder.feed(b"")
    events += decoder.finish()
    assert [event.data for event in events] == data


def test_names_belong_to_one_event() -> None:
    events = SseDecoder().feed(b"event: error\ndata: a\n\ndata: b\n\n")
    assert events == [ServerEvent("error", "a"), ServerEvent("", "b")]


def test_an_event_is_there_as_soon_as_its_blank_line_is() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: a\r\n\r") == [ServerEvent("", "a")]
    assert decoder.feed(b"\ndata: b\r\r") == [ServerEvent("", "b")]
