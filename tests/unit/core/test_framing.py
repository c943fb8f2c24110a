"""Section 2: bytes to lines."""

from __future__ import annotations

import pytest
from tests.support.fixtures.stages import accepted_run

from perdure.core.framing import FrameFault, Line, lines, next_line
from perdure.core.reducer import Corrupt, Reduced, reduce_session

GOOD = accepted_run().to_bytes()
HEADER, ACCEPT = (line + b"\n" for line in GOOD.split(b"\n")[:-1])

FAULTS = {
    "F2 empty file": (b"", "MISSING_HEADER", 1, 0),
    "F2 no LF at all": (HEADER[:-1], "MISSING_HEADER", 1, 0),
    "F3 encoded surrogate": (GOOD + b'"\xed\xa0\x80"\n', "MALFORMED_JSON", 3, len(GOOD)),
    "F3 highest surrogate": (GOOD + b'"\xed\xbf\xbf"\n', "MALFORMED_JSON", 3, len(GOOD)),
    "F3 before F4": (b"\xff\n" + b"\xed\xa0\x80\n", "MALFORMED_JSON", 2, 2),
    "F3 before a bad fact": (HEADER + b"5\n\xed\xb0\x80\n", "MALFORMED_JSON", 3, len(HEADER) + 2),
    "F4 invalid byte": (GOOD + b'"\xff"\n', "INVALID_UTF8", 1, 0),
    "F4 overlong": (GOOD + b'"\xc0\xaf"\n', "INVALID_UTF8", 1, 0),
    "F4 cut sequence": (GOOD + b'"\xe2\x82"\n', "INVALID_UTF8", 1, 0),
    "F4 before F5": (b"\n\xff\n", "INVALID_UTF8", 1, 0),
    "F4 before a bad fact": (HEADER + b"5\n\xff\n", "INVALID_UTF8", 1, 0),
    "F5 first line empty": (b"\n" + GOOD, "MISSING_HEADER", 1, 0),
    "F6 blank line": (GOOD + b"\n", "BLANK_LINE", 3, len(GOOD)),
    "F6 only white space is not blank": (GOOD + b" \n", "MALFORMED_JSON", 3, len(GOOD)),
    "F7 header ends with CR": (HEADER[:-1] + b"\r\n", "CRLF_NOT_ALLOWED", 1, 0),
    "F7 nothing but CR": (GOOD + b"\r\n", "CRLF_NOT_ALLOWED", 3, len(GOOD)),
    "F7 before F8": (GOOD + b"{\r\n", "CRLF_NOT_ALLOWED", 3, len(GOOD)),
    "F8 header is not JSON": (b"header\n" + ACCEPT, "MALFORMED_JSON", 1, 0),
    "F8 NULs": (HEADER + b"\0" * 64 + b"\n" + ACCEPT, "MALFORMED_JSON", 2, len(HEADER)),
    "F9 no facts": (GOOD + b"[]\n", "EMPTY_TRANSACTION", 3, len(GOOD)),
    "byte order mark": (b"\xef\xbb\xbf" + GOOD, "MALFORMED_JSON", 1, 0),
    "a bad line before a blank one": (HEADER + b"{}\n\n", "INVALID_FACT", 2, len(HEADER)),
}


@pytest.mark.parametrize(("data", "code", "line", "offset"), FAULTS.values(), ids=FAULTS.keys())
def test_faults(data: bytes, code: str, line: int, offset: int) -> None:
    assert reduce_session(data) == Corrupt(code, line, offset)  # type: ignore[arg-type]


@pytest.mark.hazard("NULs inside line 50 of 100: corrupt at that line and byte")
def test_damage_in_the_middle_is_corruption() -> None:
    log = accepted_run()
    for number in range(98):
        log.user(f"more {number}")
    whole = log.to_bytes().split(b"\n")
    offset = sum(len(line) + 1 for line in whole[:49])
    whole[49] = b"\0" * len(whole[49])
    assert reduce_session(b"\n".join(whole)) == Corrupt("MALFORMED_JSON", 50, offset)


@pytest.mark.parametrize(
    "tail",
    [b'{"kind":"rec', b'{"seq":3}', b"\xff\xfe", b"\xed\xa0\x80", b"\0" * 4096, b"\r", b" "],
    ids=repr,
)
@pytest.mark.hazard("garbage tail without LF")
def test_a_torn_tail_is_not_looked_at(tail: bytes) -> None:
    torn = reduce_session(GOOD + tail)
    assert torn == reduce_session(GOOD)
    assert isinstance(torn, Reduced)
    assert torn.state.repaired_length == len(GOOD)


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\u0085", "\v", "\f", "\x1c"], ids=ascii)
@pytest.mark.hazard("split on byte 0x0A only")
def test_other_line_ends_are_text(character: str) -> None:
    content = f"one{character}two"
    result = reduce_session(accepted_run().user(content).to_bytes())
    assert isinstance(result, Reduced)
    assert result.state.transcript[-1]["content"] == content


def test_lines_know_their_place() -> None:
    assert list(lines(b"ab\nc\nrest")) == [Line(1, 0, b"ab"), Line(2, 3, b"c")]
    assert next_line(b"c\n", number=2, offset=3) == Line(2, 3, b"c")


@pytest.mark.parametrize("data", [b"", b"a", b"a\nb\n", b"\n\n", b"a\nb"], ids=repr)
def test_next_line_takes_exactly_one_line(data: bytes) -> None:
    with pytest.raises(ValueError, match="only LF"):
        next_line(data, number=2, offset=3)


def test_next_line_reports_its_own_place() -> None:
    with pytest.raises(FrameFault) as caught:
        next_line(b'"\xed\xa0\x80"\n', number=7, offset=99)
    assert (caught.value.code, caught.value.line, caught.value.offset) == ("MALFORMED_JSON", 7, 99)
