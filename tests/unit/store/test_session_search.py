"""Searching sessions: literal, case ignored, newest first, bounded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.support.log import Log, session
from tests.support.wire import default_header, uid
from tests.unit.store.sessions import make_options, write_session

from perdure.core.masking import masked
from perdure.store.catalog import Catalog
from perdure.store.search import LIMIT, search_sessions
from perdure.store.titles import normalised_title, write_title


def _write(directory: Path, number: int, log: Log | None = None) -> Path:
    header = default_header() | {"id": uid("session", number)}
    written = log or session(header)
    path = write_session(directory, written, name=f"2026_{uid('session', number)}.jsonl")
    os.utime(path, (number, number))
    return path


def _log(number: int, prompt: str, answer: str = "fine") -> Log:
    log = session(default_header() | {"id": uid("session", number)})
    return log.prompt(prompt).attempt().answer(answer).finish()


def _found(directory: Path, query: str) -> list[tuple[str, str]]:
    hits = search_sessions(Catalog(directory).list(), query, cancelled=lambda: False)
    return [(hit.summary.id[-2:], hit.snippet) for hit in hits]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("needle", "a NEEDLE here"),
        ("[a-z]+(", "so [A-Z]+( it"),
        (".*", "glob .* only"),
        ("\\", "back\\slash"),
        ('"', 'say "no"'),
        ("straße", "Die STRAßE"),
        ("\U0001f642", "smile \U0001f642"),
        ("x" * 900, "x" * 1000),
    ],
)
def test_text_is_taken_literally(tmp_path: Path, query: str, text: str) -> None:
    _write(tmp_path, 1, _log(1, "nothing of it"))
    _write(tmp_path, 2, _log(2, "hello", answer=text))
    assert [found for found, _ in _found(tmp_path, query)] == ["02"]


@pytest.mark.parametrize("query", ["\ud800", "runStarted", "operationId", uid("entry", 1)])
def test_only_titles_and_messages_are_searched(tmp_path: Path, query: str) -> None:
    _write(tmp_path, 1, _log(1, "hello"))
    assert _found(tmp_path, query) == []


def test_the_newest_come_first_with_a_snippet_of_one_line(tmp_path: Path) -> None:
    _write(tmp_path, 1, _log(1, "before\n the needle\x1b[31m\n after"))
    _write(tmp_path, 2, _log(2, "w" * 200 + " needle " + "w" * 200))
    write_title(_write(tmp_path, 3), "Needlework", make_options())
    assert _found(tmp_path, "needle") == [
        ("03", "Needlework"),
        ("02", f"…{'w' * 59} needle {'w' * 59}…"),
        ("01", "before the needle [31m after"),
    ]


def test_a_compaction_and_a_damaged_file_do_not_matter(tmp_path: Path) -> None:
    log = _log(1, "one").prompt("two").attempt().answer("ok").finish()
    _write(tmp_path, 1, log.compact(keep=1).attempt().summary("the needle").finish())
    _write(tmp_path, 2).write_bytes(
        b'\xff\n{"entry":5}\n[[1]]\nnull\n{"entry":{"message":7}}\nneedle'
    )
    assert _found(tmp_path, "needle") == [("01", "the needle")]


def test_not_more_than_the_limit(tmp_path: Path) -> None:
    for number in range(1, LIMIT + 3):
        _write(tmp_path, number, _log(number, "needle"))
    assert len(_found(tmp_path, "needle")) == LIMIT


def test_a_cancelled_search_reads_no_further(tmp_path: Path) -> None:
    _write(tmp_path, 1, _log(1, "one", answer="needle"))
    asked = iter([False, False, True])
    summaries = Catalog(tmp_path).list()
    hits = search_sessions(summaries, "needle", cancelled=lambda: next(asked, True))
    assert hits == []


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("  two\n words\t", "two words"),
        ("\x1b[31mred\x00", "[31mred"),
        ("a\u2028b\u202ec", "a b c"),
        ("\ud800", "\ufffd"),
        ("x" * 500, "x" * 200),
        (" \n", ""),
    ],
)
def test_a_title_is_one_line(text: str, title: str) -> None:
    assert normalised_title(text) == title


def test_what_is_not_shown_is_not_found(tmp_path: Path) -> None:
    _write(tmp_path, 1, _log(1, "hello", answer="the key AKIAIOSFODNN7EXAMPLE is here"))
    summaries = Catalog(tmp_path).list()
    for query, expected in (("AKIA", []), ("the key", ["the key [masked: AWS key] is here"])):
        hits = search_sessions(summaries, query, cancelled=lambda: False, shown=masked)
        assert [hit.snippet for hit in hits] == expected
