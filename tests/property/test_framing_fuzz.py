"""Any bytes give a state or a code; both ways of reading agree; prefixes agree."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import get_args

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.fixtures.stages import READ, summarising, tool_started
from tests.support.torture import count, report

from perdure.core.codec import MalformedJson, NotEncodable, encode_line, parse_line, parse_strict
from perdure.core.framing import FrameCode
from perdure.core.reducer import (
    Corrupt,
    Ledger,
    Reduced,
    RuleCode,
    apply,
    load_ledger,
    reduce_session,
)
from perdure.core.shape import result_json
from perdure.json_types import JsonValue

CODES = {*get_args(FrameCode), *get_args(RuleCode)}
RUN = tool_started(READ).usage().result(0).attempt().retry().answer("done").finish().to_bytes()
COMPACTED = summarising().usage().summary().finish().prompt("next").attempt().to_bytes()
SEEDS = [RUN, COMPACTED]
PIECES = [
    b"\n", b"\r", b"\r\n", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"null", b"true",
    b"1e400", b"-0", b"1.0", b"NaN", b"\\ud800", b"\\ude00", b"\\ud83d\\ude00", b"\xed\xa0\x80",
    b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\0", b'"id":', b'"seq":', b"9007199254740992",
    b"[" * 300, b'{"a":' * 300, b'"kind":"entry",', b"4294967296" * 50,
]  # fmt: skip

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


def _check(data: bytes) -> None:
    result = reduce_session(data)
    assert "ok" in result_json(result)
    if isinstance(result, Corrupt):
        assert result.code in CODES
        assert data[: result.offset].count(b"\n") + 1 == result.line
        assert result.offset == 0 or data[result.offset - 1 : result.offset] == b"\n"
    else:
        assert result.state.repaired_length == data.rfind(b"\n") + 1


def _mutated(original: bytes, chance: random.Random) -> bytes:
    data = bytearray(original)
    for _ in range(chance.randint(1, 4)):
        if not data:
            break
        at = chance.randrange(len(data))
        match chance.randrange(4):
            case 0:
                data[at] ^= 1 << chance.randrange(8)
            case 1:
                data[at:at] = chance.choice(PIECES)
            case 2:
                del data[at : at + chance.randint(1, 40)]
            case _:
                end = at + chance.randint(1, 60)
                data[at:end] = chance.choice(SEEDS)[at:end]
    return bytes(data)


@settings(max_examples=200)
@given(st.lists(st.binary(max_size=12) | st.sampled_from(PIECES), max_size=12))
def test_any_bytes(pieces: list[bytes]) -> None:
    _check(b"".join(pieces))
    _check(RUN[: RUN.index(b"\n") + 1] + b"".join(pieces) + b"\n")


def _report(tried: int) -> None:
    report(12, "bytes of corrupt input tried", tried)


@pytest.mark.parametrize("seed", range(8))
def test_damaged_sessions(seed: int) -> None:
    chance = random.Random(seed)
    tried = 0
    for _ in range(count(250, 25_000)):
        data = _mutated(chance.choice(SEEDS), chance)
        _check(data)
        tried += len(data)
    _report(tried)


def _put(value: JsonValue, chance: random.Random, replacement: JsonValue) -> None:
    """Put ``replacement`` somewhere into a structure."""
    while True:
        if isinstance(value, dict) and value:
            key = chance.choice(sorted(value))
            if isinstance(value[key], dict | list) and chance.random() < 0.8:
                value = value[key]
                continue
            value[key] = replacement
        elif isinstance(value, list) and value:
            index = chance.randrange(len(value))
            if isinstance(value[index], dict | list) and chance.random() < 0.8:
                value = value[index]
                continue
            value[index] = replacement
        return


@pytest.mark.parametrize("seed", range(8))
def test_well_formed_lines_with_anything_in_any_place(seed: int) -> None:
    chance = random.Random(seed)
    values: list[JsonValue] = [None, True, 0, -1, 1.5, 2**60, "", "x", [], {}, [[]], {"type": []}]
    for _ in range(250):
        lines = [orjson.loads(line) for line in chance.choice(SEEDS).split(b"\n")[:-1]]
        _put(chance.choice(lines), chance, chance.choice(values))
        _check(b"".join(map(encode_line, lines)))


def _read(parse: Callable[[bytes], JsonValue], line: bytes) -> str:
    try:
        return repr(parse(line))
    except MalformedJson:
        return "malformed"


@settings(max_examples=200)
@given(JSON, st.integers(0, 10_000), st.sampled_from([b"", *PIECES]))
def test_both_ways_of_reading_agree(value: JsonValue, at: int, piece: bytes) -> None:
    try:
        line = encode_line(value)[:-1]
    except NotEncodable:
        line = repr(value).encode(errors="surrogatepass")
    at %= len(line) + 1
    line = line[:at] + piece + line[at:]
    assert _read(parse_line, line) == _read(parse_strict, line)


@pytest.mark.parametrize("seed", range(8))
def test_both_ways_of_reading_agree_on_damaged_lines(seed: int) -> None:
    chance = random.Random(seed)
    lines = [line for data in SEEDS for line in data.split(b"\n")[:-1]]
    inputs = count(300, 250_000)
    tried = 0
    for _ in range(inputs):
        line = _mutated(chance.choice(lines), chance).replace(b"\n", b"")
        assert _read(parse_line, line) == _read(parse_strict, line), line
        tried += len(line)
    report(12, "lines read in both ways", inputs)
    _report(tried)


@pytest.mark.requirement(11)
@pytest.mark.parametrize("data", SEEDS, ids=["run", "compaction"])
def test_every_byte_prefix_reduces_to_its_complete_lines(data: bytes) -> None:
    ends = [0, *(at + 1 for at, byte in enumerate(data) if byte == 0x0A)]
    whole = {end: reduce_session(data[:end]) for end in ends}
    for size in range(len(data) + 1):
        assert reduce_session(data[:size]) == whole[data.rfind(b"\n", 0, size) + 1]


@pytest.mark.parametrize("seed", range(4))
def test_damaged_sessions_step_by_step(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(100):
        lines = [orjson.loads(line) for line in chance.choice(SEEDS).split(b"\n")[:-1]]
        _put(chance.choice(lines[1:]), chance, chance.choice([None, 7, "x", [], {}]))
        raw = [encode_line(line) for line in lines]
        ledger = load_ledger(raw[0])
        assert isinstance(ledger, Ledger)
        for number, line in enumerate(raw[1:], start=2):
            before = ledger.fork()
            result = apply(ledger, line)
            assert result == reduce_session(b"".join(raw[:number]))
            if not isinstance(result, Reduced):
                assert ledger == before
                break
