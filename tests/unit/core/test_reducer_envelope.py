"""Sections 4 and 5: header, envelopes, reserved ids."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.fixtures.stages import READ, accepted_run, attempting, calling, tool_started
from tests.support.log import Log, session
from tests.support.raw_log import DROP
from tests.support.wire import uid
from tests.unit.core.judging import Row, assert_accepted, assert_refused, judge, rows

from perdure.core.reducer import Corrupt
from perdure.core.scalars import MAX_INTEGER
from perdure.json_types import JsonValue

HEADERS: list[tuple[str, object, str]] = [
    ("kind", "session", "INVALID_HEADER"),
    ("kind", DROP, "INVALID_HEADER"),
    ("comment", None, "INVALID_HEADER"),
    ("version", DROP, "UNSUPPORTED_VERSION"),
    ("version", 1, "UNSUPPORTED_VERSION"),
    ("version", 3, "UNSUPPORTED_VERSION"),
    ("version", "2", "UNSUPPORTED_VERSION"),
    ("version", 2.0, "UNSUPPORTED_VERSION"),
    ("version", True, "UNSUPPORTED_VERSION"),
    ("id", uid("session", 1).upper(), "INVALID_HEADER"),
    ("id", uid("session", 1) + "\n", "INVALID_HEADER"),
    ("id", "018f0000-0000-4000-8000-000000000001", "INVALID_HEADER"),
    ("id", "018f0000-0000-7000-c000-000000000001", "INVALID_HEADER"),
    ("createdAt", -1, "INVALID_HEADER"),
    ("createdAt", 1.0, "INVALID_HEADER"),
    ("createdAt", False, "INVALID_HEADER"),
    ("createdAt", MAX_INTEGER + 1, "INVALID_HEADER"),
    *(
        (key, value, "INVALID_HEADER")
        for key in ("cwd", "provider", "model", "environmentIdentity")
        for value in ("", None, DROP)
    ),
]


@pytest.mark.parametrize(("key", "value", "code"), HEADERS, ids=lambda it: str(it)[:20])
@pytest.mark.hazard("header version newer or older")
def test_header(key: str, value: object, code: str) -> None:
    log = session().patch(key, value)
    assert judge(log.to_bytes()) == Corrupt(code, 1, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [[], "header", 2, None], ids=repr)
def test_header_is_an_object(value: JsonValue) -> None:
    log = session()
    log.lines = [value]
    assert judge(log.to_bytes()) == Corrupt("INVALID_HEADER", 1, 0)


def test_an_unknown_key_or_kind_is_judged_before_the_version() -> None:
    for key, value in (("x", 0), ("kind", "session")):
        log = session().patch("version", 1).patch(key, value)
        assert judge(log.to_bytes()) == Corrupt("INVALID_HEADER", 1, 0)


def test_the_id_of_the_header_is_no_fact_id() -> None:
    assert_accepted(session().user("x").patch("id", uid("session", 1)))


@pytest.mark.parametrize(
    "change",
    [
        ("seq", DROP),
        ("seq", None),
        ("seq", 0),
        ("seq", -3),
        ("seq", 3.0),
        ("seq", "3"),
        ("seq", True),
        ("seq", MAX_INTEGER + 1),
    ],
    ids=str,
)
def test_without_a_right_seq_none_is_reported(change: tuple[str, object]) -> None:
    log = accepted_run().user("x")
    offset = len(accepted_run().to_bytes())
    data = log.patch(*change).to_bytes()
    assert judge(data) == Corrupt("INVALID_FACT", 3, offset)


@pytest.mark.parametrize("line", [b"5", b'"x"', b"null", b"[5]", b"[[]]"], ids=repr)
def test_a_fact_is_an_object(line: bytes) -> None:
    offset = len(accepted_run().to_bytes())
    assert judge(accepted_run().raw(line).to_bytes()) == Corrupt("INVALID_FACT", 3, offset)


@pytest.mark.parametrize("seq", [1, 2, 4, MAX_INTEGER])
def test_the_seq_found_is_reported(seq: int) -> None:
    result = judge(accepted_run().user("x").patch("seq", seq).to_bytes())
    assert isinstance(result, Corrupt)
    assert (result.code, result.line, result.seq) == ("SEQ_MISMATCH", 3, seq)


def _user() -> Log:
    return accepted_run().user("more")


ENVELOPES: list[Row] = [
    ("4 id missing", lambda: _user().patch("id", DROP), "INVALID_FACT"),
    ("4 id no UUIDv7", lambda: _user().patch("id", "x"), "INVALID_FACT"),
    ("5 timestamp missing", lambda: _user().patch("timestamp", DROP), "INVALID_FACT"),
    ("5 timestamp a fraction", lambda: _user().patch("timestamp", 1.5), "INVALID_FACT"),
    ("5 before 6", lambda: _user().patch("id", uid("entry", 1)).patch("timestamp", -1),
     "INVALID_FACT"),
    ("6 id used", lambda: _user().patch("id", uid("entry", 1)), "DUPLICATE_ID"),
    ("6 before 7", lambda: _user().patch("id", uid("entry", 1)).patch("kind", "x"),
     "DUPLICATE_ID"),
    ("7 kind unknown", lambda: _user().patch("kind", "note"), "INVALID_FACT"),
    ("7 kind missing", lambda: _user().patch("kind", DROP), "INVALID_FACT"),
    ("7 kind an array", lambda: _user().patch("kind", ["entry"]), "INVALID_FACT"),
    ("8 unknown key", lambda: _user().patch("note", None), "INVALID_FACT"),
    ("8 entry and record", lambda: _user().patch("record", {}), "INVALID_FACT"),
    ("8 entry missing", lambda: _user().patch("entry", DROP), "INVALID_FACT"),
    ("8 entry an array", lambda: _user().patch("entry", []), "INVALID_FACT"),
    ("8 record in an entry fact", lambda: attempting().patch("kind", "entry"), "INVALID_FACT"),
    ("8 record an array", lambda: attempting().patch("record", [1]), "INVALID_FACT"),
    ("8 record type unknown", lambda: attempting().patch("record.type", "x"), "INVALID_FACT"),
    ("8 record type an object", lambda: attempting().patch("record.type", {}), "INVALID_FACT"),
    ("8 record unknown key", lambda: attempting().patch("record.note", 1), "INVALID_FACT"),
    ("8 before 9", lambda: attempting().failed().patch("id", uid("operation", 1))
     .patch("record.error", None), "INVALID_FACT"),
    ("9 id reserved", lambda: attempting().failed().patch("id", uid("operation", 1)),
     "DUPLICATE_ID"),
    ("9 a record reserves its own id", lambda: attempting().patch("id", uid("attempt", 1)),
     "DUPLICATE_ID"),
    ("9 usage under a step id", lambda: attempting().usage().patch("id", uid("step", 1)),
     "DUPLICATE_ID"),
    ("9 the provisioned id is not for others", lambda: tool_started(READ).usage()
     .patch("id", uid("result", 1)), "DUPLICATE_ID"),
    ("9 form B under a reserved id", lambda: calling(READ).synthetic(0, "aborted")
     .patch("id", uid("step", 1)), "DUPLICATE_ID"),
]  # fmt: skip


@rows(ENVELOPES)
def test_envelope(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


RESERVED: list[tuple[str, str]] = [
    ("an operation's", uid("operation", 1)),
    ("a step's", uid("step", 1)),
    ("an attempt's", uid("attempt", 1)),
    ("a tool result's", uid("result", 1)),
    ("a used", uid("entry", 1)),
]


@pytest.mark.parametrize("taken", [pytest.param(it, id=name) for name, it in RESERVED])
@pytest.mark.parametrize("field", ["stepId", "attemptId"])
def test_an_id_is_reserved_once(taken: str, field: str) -> None:
    log = tool_started(READ).result(0) if taken != uid("result", 1) else tool_started(READ)
    assert_refused(log.attempt().patch(f"record.{field}", taken), "DUPLICATE_ID")


def test_facts_of_one_line_become_visible_together_or_not_at_all() -> None:
    log = session().user("one").user("two").patch("entry.message.content", "").joined(2)
    result = judge(log.to_bytes())
    assert isinstance(result, Corrupt)
    assert (result.code, result.line, result.seq) == ("INVALID_FACT", 2, 2)
