"""Files that go, or become something else, while somebody looks at them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.log import session
from tests.unit.store.sessions import SESSION_ID, make_options, write_session

from perdure.errors import SessionNotFound, StorageFailed, StoreError
from perdure.store.catalog import Catalog
from perdure.store.exclusive import exclusively
from perdure.store.follow import read_session, revision_of
from perdure.store.search import search_sessions
from perdure.store.takeover import is_held

OPTIONS = make_options()


def _hold(path: Path) -> None:
    with exclusively(path, OPTIONS):
        raise AssertionError("there is nothing to hold")


def _is_held(path: Path) -> None:
    is_held(OPTIONS.files, path)


def _go(path: Path) -> None:
    path.unlink()


def _become_a_file(path: Path) -> None:
    """Put a file in the place of the directory."""
    path.parent.rename(path.parent.with_name("moved"))
    path.parent.write_text("no directory")


HAPPENINGS = [
    pytest.param(_go, SessionNotFound, id="gone"),
    pytest.param(_become_a_file, StorageFailed, id="directory gone"),
]


@pytest.mark.parametrize(("happens", "expected"), HAPPENINGS)
@pytest.mark.parametrize("act", [read_session, revision_of, _hold, _is_held])
def test_the_reason_is_told(
    tmp_path: Path,
    act: Callable[[Path], object],
    happens: Callable[[Path], None],
    expected: type[StoreError],
) -> None:
    path = write_session(tmp_path / "sessions", session())
    happens(path)
    with pytest.raises(expected):
        act(path)


@pytest.mark.parametrize(("happens", "expected"), HAPPENINGS)
def test_between_listing_and_looking(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    happens: Callable[[Path], None],
    expected: type[StoreError],
) -> None:
    sessions = tmp_path / "sessions"

    def then_it_happens(directory: Path) -> list[str]:
        happens(path)
        return [path.name]

    path = write_session(sessions, session())
    monkeypatch.setattr(os, "listdir", then_it_happens)
    with pytest.raises(expected):
        Catalog(sessions).find(SESSION_ID)


def test_what_goes_while_it_is_listed_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = write_session(tmp_path, session())
    monkeypatch.setattr(os, "listdir", lambda directory: [gone.name])
    assert [summary.path for summary in Catalog(tmp_path).list()] == [gone]
    gone.unlink()
    assert Catalog(tmp_path).list() == []


def test_of_what_went_only_the_title_is_searched(tmp_path: Path) -> None:
    path = write_session(tmp_path, session().prompt("a title").attempt().answer("an answer"))
    summaries = Catalog(tmp_path).list()
    path.unlink()
    found = [
        len(search_sessions(summaries, query, cancelled=lambda: False))
        for query in ("title", "answer")
    ]
    assert found == [1, 0]
