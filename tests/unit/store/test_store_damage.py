"""Damage and other versions: reported with their place, and no byte is changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.log import Log, session
from tests.support.wire import default_header, uid
from tests.unit.store.sessions import FILE_NAME, make_options, open_session, write_session

from perdure.errors import SessionCorrupt, UnsupportedVersion
from perdure.json_types import JsonObject
from perdure.store.jsonl import SessionStore

pytestmark = pytest.mark.asyncio


def users(count: int) -> Log:
    log = session()
    for number in range(count):
        log.user(f"line {number}")
    return log


def with_line(number: int, change: Callable[[bytes], bytes]) -> bytes:
    """Return 100 facts with the line of this number changed; the header is line 1."""
    lines = users(100).to_bytes().split(b"\n")
    lines[number - 1] = change(lines[number - 1])
    return b"\n".join(lines)


DAMAGED = [
    pytest.param(50, lambda line: line[:20] + b"\0\0\0" + line[23:], "MALFORMED_JSON", id="NULs"),
    pytest.param(60, lambda line: line[:-9], "MALFORMED_JSON", id="cut short"),
    pytest.param(60, lambda line: b"", "BLANK_LINE", id="blank"),
    pytest.param(60, lambda line: line + b"\r", "CRLF_NOT_ALLOWED", id="CRLF"),
    pytest.param(101, lambda line: line[:-9], "MALFORMED_JSON", id="last line"),
]


@pytest.mark.hazard("NULs inside line 50 of 100", "100 facts, line 60 damaged", "corrupt log")
@pytest.mark.parametrize(("number", "change", "reason"), DAMAGED)
async def test_damage_is_reported_with_its_place_and_no_byte_changes(
    tmp_path: Path, number: int, change: Callable[[bytes], bytes], reason: str
) -> None:
    path = write_session(tmp_path, session())
    content = with_line(number, change) + b"torn tail"
    path.write_bytes(content)
    with pytest.raises(SessionCorrupt, match=f"line {number}, byte") as caught:
        await SessionStore.open(path, options=make_options())
    offset = sum(len(line) + 1 for line in content.split(b"\n")[: number - 1])
    assert (caught.value.reason, caught.value.line) == (reason, number)
    assert caught.value.offset == offset
    assert path.read_bytes() == content
    assert os.listdir(tmp_path) == [FILE_NAME]


def header(**changes: object) -> JsonObject:
    return default_header() | changes  # type: ignore[return-value]


@pytest.mark.hazard("Header version newer or older")
@pytest.mark.parametrize(
    ("first_line", "version"),
    [
        (header(version=3), "3"),
        (header(version=1), "1"),
        (header(version=3, futureField=True), "3"),
        ({"type": "session", "version": 1, "id": "x"}, "1"),
    ],
    ids=["newer", "older", "newer with new keys", "the original's first format"],
)
async def test_another_version_is_named_and_no_byte_changes(
    tmp_path: Path, first_line: JsonObject, version: str
) -> None:
    path = write_session(tmp_path, session(first_line).tail(b"tail"))
    content = path.read_bytes()
    with pytest.raises(UnsupportedVersion, match=f"format version {version}"):
        await SessionStore.open(path, options=make_options())
    assert path.read_bytes() == content
    other = await open_session(tmp_path / "other", session())
    await other.close()


@pytest.mark.parametrize(
    "content",
    [b"", b'{"kind":"header"', b"\n", b"null\n", b'{"version":2}\n'],
    ids=["empty", "torn header", "blank", "null", "no header"],
)
async def test_a_file_without_header_is_damaged(tmp_path: Path, content: bytes) -> None:
    path = write_session(tmp_path, session())
    path.write_bytes(content)
    with pytest.raises(SessionCorrupt):
        await SessionStore.open(path, options=make_options())
    assert path.read_bytes() == content


async def test_a_file_under_another_sessions_name_is_refused(tmp_path: Path) -> None:
    path = write_session(tmp_path, session(header(id=uid("session", 2))))
    with pytest.raises(SessionCorrupt, match="its own name"):
        await SessionStore.open(path, options=make_options())
