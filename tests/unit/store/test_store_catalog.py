"""The list of a folder's sessions, and reading one that another process writes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.support.log import Log, session
from tests.support.wire import START, default_header, uid
from tests.unit.store.sessions import FILE_NAME, SESSION_ID, write_session

from perdure.core.state import SessionState
from perdure.errors import SessionNotFound, StoreError
from perdure.store.catalog import Catalog, SessionSummary
from perdure.store.follow import read_session, revision_of
from perdure.store.verdict import Damaged


def write_numbered(directory: Path, number: int, log: Log | None = None) -> Path:
    header = default_header() | {"id": uid("session", number)}
    written = log or session(header)
    path = write_session(directory, written, name=f"2026_{uid('session', number)}.jsonl")
    os.utime(path, (number, number))
    return path


def test_sessions_are_listed_last_written_first(tmp_path: Path) -> None:
    for number in (2, 3, 1):
        write_numbered(tmp_path, number)
    assert [summary.id for summary in Catalog(tmp_path).list()] == [
        uid("session", number) for number in (3, 2, 1)
    ]


def test_a_summary_tells_what_the_first_lines_say(tmp_path: Path) -> None:
    log = session().prompt("  Fix the tests\nplease").prompt("and more")
    path = write_session(tmp_path, log)
    os.utime(path, (5, 5))
    assert Catalog(tmp_path).list() == [
        SessionSummary(
            id=SESSION_ID,
            path=path,
            title="Fix the tests",
            created_at=START,
            updated_at=5000,
            size=len(log.to_bytes()),
            readable=True,
        )
    ]


@pytest.mark.parametrize(
    ("content", "title", "readable"),
    [
        (b"garbage\n\xff\n", "", False),
        (session().to_bytes(), "", True),
        (session().prompt("x" * 500).to_bytes(), "x" * 80, True),
        (session().raw(b"damaged").to_bytes(), "", True),
        (session().prompt("torn").to_bytes()[:-1], "", True),
    ],
    ids=["garbage", "new", "long", "damaged", "torn prompt"],
)
def test_any_file_can_be_listed(tmp_path: Path, content: bytes, title: str, readable: bool) -> None:
    write_session(tmp_path, session()).write_bytes(content)
    (summary,) = Catalog(tmp_path).list()
    assert (summary.title, summary.readable) == (title, readable)


@pytest.mark.parametrize("content", [b"", b'{"kind":"head'], ids=["empty", "torn header"])
def test_what_was_never_created_is_not_listed(tmp_path: Path, content: bytes) -> None:
    write_session(tmp_path, session()).write_bytes(content)
    assert Catalog(tmp_path).list() == []


def test_what_is_no_session_file_is_not_listed(tmp_path: Path) -> None:
    path = write_session(tmp_path, session())
    for suffix in (".owner", ".torn-5-0123abcd", ".jsonl.bak"):
        path.with_suffix(suffix).write_bytes(b"x\n")
    path.with_suffix(".d").mkdir()
    (tmp_path / f"a_{uid('session', 2)}.jsonl").symlink_to(path)
    (tmp_path / "a_b.jsonl").write_bytes(b"x\n")
    assert [summary.path for summary in Catalog(tmp_path).list()] == [path]
    assert Catalog(tmp_path / "none").list() == []


@pytest.mark.hazard("Open, list, plan, resume, abort on a corrupt log")
def test_the_state_is_read_again_only_when_the_file_has_changed(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    path = write_session(tmp_path, session().user("a"))
    first = catalog.reduce(path)
    assert catalog.reduce(path) is first
    content = path.read_bytes() + b"damage\n"
    path.write_bytes(content)
    assert isinstance(catalog.reduce(path), Damaged)
    assert path.read_bytes() == content


def test_following_ignores_a_torn_tail_and_changes_nothing(tmp_path: Path) -> None:
    path = write_session(tmp_path, session().user("a").tail(b"torn"))
    revision = revision_of(path)
    state = read_session(path)
    assert isinstance(state, SessionState)
    assert len(state.transcript) == 1
    assert revision_of(path) == revision
    with path.open("ab") as file:
        file.write(b"more")
    assert revision_of(path) != revision
    assert [entry.name for entry in tmp_path.iterdir()] == [FILE_NAME]


def test_reading_what_is_not_there(tmp_path: Path) -> None:
    for read in (read_session, revision_of):
        with pytest.raises(SessionNotFound):
            read(tmp_path / FILE_NAME)


def test_a_session_is_found_by_its_id(tmp_path: Path) -> None:
    path = write_session(tmp_path, session())
    assert Catalog(tmp_path).find(SESSION_ID) == path
    with pytest.raises(SessionNotFound):
        Catalog(tmp_path).find(uid("session", 2))
    with pytest.raises(SessionNotFound):
        Catalog(tmp_path / "none").find(SESSION_ID)


@pytest.mark.parametrize("session_id", ["", "*", "../x", SESSION_ID.upper(), SESSION_ID + "x"])
def test_an_id_that_is_none_finds_nothing(tmp_path: Path, session_id: str) -> None:
    write_session(tmp_path, session())
    with pytest.raises(StoreError, match="Invalid session ID"):
        Catalog(tmp_path).find(session_id)


def test_two_files_of_one_id_are_refused(tmp_path: Path) -> None:
    write_session(tmp_path, session())
    write_session(tmp_path, session(), name="2027" + FILE_NAME[4:])
    with pytest.raises(StoreError, match="Duplicate session ID"):
        Catalog(tmp_path).find(SESSION_ID)


def make_link(path: Path, other: Path) -> None:
    path.symlink_to(other)


def make_second_name(path: Path, other: Path) -> None:
    path.hardlink_to(other)


def make_directory(path: Path, other: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [make_link, make_second_name, make_directory])
def test_an_unsafe_path_is_refused(tmp_path: Path, make: object) -> None:
    assert callable(make)
    other = write_session(tmp_path / "elsewhere", session())
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    make(sessions / FILE_NAME, other)
    with pytest.raises(StoreError, match="Unsafe session path"):
        Catalog(sessions).find(SESSION_ID)


def test_sessions_may_be_reached_through_a_link(tmp_path: Path) -> None:
    path = write_session(tmp_path / "sessions", session())
    (tmp_path / "link").symlink_to(tmp_path / "sessions")
    found = Catalog(tmp_path / "link").find(SESSION_ID)
    assert found.resolve() == path
