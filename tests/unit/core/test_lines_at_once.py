"""Lines that are read together are read as each of them alone, or not at all."""

from __future__ import annotations

import pytest
from tests.support.log import session

from perdure.core.codec import parse_line
from perdure.core.framing import lines
from perdure.core.lines_at_once import PART, parse_lines, parts
from perdure.core.reducer import Ledger, Reduced, apply, load_ledger
from perdure.core.shape import state_json
from perdure.json_types import JsonValue

PLAIN = b'{"a":1}'

UNUSUAL: dict[str, bytes] = {
    "blank": b"",
    "CR at the end": b'{"a":1}\r',
    "white space": b'{"a": 1}',
    "needless escape": b'"\\u0041"',
    "duplicate key": b'{"a":1,"a":1}',
    "lone surrogate": b'"\\ud800"',
    "not UTF-8": b'"\xff"',
    "byte order mark": b"\xef\xbb\xbf1",
    "an integer beyond 64 bits": b"123456789012345678901234567890",
    "infinity": b"1e400",
    "an exponent": b"1e2",
    "not JSON": b"{",
    "two values": b"{},{}",
    "end of the list": b"1],[1",
    "too deep": b"[" * 201 + b"]" * 201,
    "far too deep": b"[" * 100_000 + b"]" * 100_000,
}

HALVES: dict[str, list[bytes]] = {
    "an object": [b'{"a":1', b'"b":2}'],
    "a string": [b'"a', b'b"'],
    "an object, and two in one line": [b'{"a":1', b'"b":2},{"c":3}'],
}


@pytest.mark.parametrize("line", UNUSUAL.values(), ids=UNUSUAL.keys())
def test_one_line_that_is_unusual_spoils_all(line: bytes) -> None:
    assert parse_lines([PLAIN, PLAIN]) == [{"a": 1}, {"a": 1}]
    assert parse_lines([PLAIN, line, PLAIN]) is None
    assert parse_lines([line]) is None


@pytest.mark.parametrize("halves", HALVES.values(), ids=HALVES.keys())
def test_lines_are_not_joined(halves: list[bytes]) -> None:
    assert parse_lines([PLAIN, *halves, PLAIN]) is None


@pytest.mark.parametrize(
    "line", [b'"\\u0000\x7f"', '"\u2028\u0085"'.encode(), b"1.5", b"-1", b"[null,true]", b'{"":{}}']
)
def test_lines_are_read_as_each_alone(line: bytes) -> None:
    assert parse_lines([line, PLAIN]) == [parse_line(line), {"a": 1}]


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")], ids=repr)
@pytest.mark.parametrize("inner", [b"[]", b"{}", b"1"], ids=repr)
def test_no_line_is_read_that_is_too_deep(opening: bytes, closing: bytes, inner: bytes) -> None:
    depths = [
        depth
        for depth in range(150, 210)
        if parse_lines([PLAIN, opening * depth + inner + closing * depth]) is not None
    ]
    assert depths == list(range(150, max(depths) + 1))
    assert 180 < max(depths) < 199


@pytest.mark.parametrize("size", [10, PART // 3, PART - 1, PART, PART + 1, 3 * PART])
def test_parts_are_the_committed_lines(size: int) -> None:
    data = b"".join(b"%d%b\n" % (number, b"x" * size) for number in range(7)) + b"torn"
    together = [line for part in parts(data) for line in part]
    assert together == [line.content for line in lines(data)]


@pytest.mark.parametrize("data", [b"", b"torn", b'{"kind":"header"}'])
def test_without_a_line_there_is_no_part(data: bytes) -> None:
    assert not list(parts(data))


@pytest.mark.parametrize("at", [0, 1, 4])
def test_an_unusual_session_means_the_same(at: int) -> None:
    """White space within one line, as another program may write it."""
    lines_of = session().prompt("a").attempt().answer("b").finish().to_bytes().split(b"\n")
    plain = load_ledger(b"\n".join(lines_of))
    lines_of[at] = lines_of[at].replace(b'"kind":', b'"kind" :')
    unusual = load_ledger(b"\n".join(lines_of))
    assert isinstance(plain, Ledger)
    assert isinstance(unusual, Ledger)
    assert _public(plain) == _public(unusual)


@pytest.mark.parametrize("size", [PART // 4, PART, 2 * PART])
def test_a_session_of_many_parts_is_that_of_its_lines(size: int) -> None:
    log = session()
    for number in range(5):
        log.prompt(f"{number}" * size).attempt().answer("yes").finish()
    header, *rest = log.to_bytes().splitlines(keepends=True)
    one_by_one = load_ledger(header)
    assert isinstance(one_by_one, Ledger)
    for line in rest:
        assert isinstance(apply(one_by_one, line), Reduced)
    assert load_ledger(log.to_bytes()) == one_by_one


def _public(ledger: Ledger) -> JsonValue:
    return state_json(ledger.state) | {"repairedLength": 0}
