"""Whether a session looks unfinished, read from the end of its file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.log import Log, session
from tests.unit.store.sessions import write_session

from perdure.store.tail import looks_unfinished


def finished() -> Log:
    return session().prompt().attempt().answer("done").finish()


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        pytest.param(session(), False, id="new"),
        pytest.param(session().user("a"), False, id="nothing started"),
        pytest.param(finished(), False, id="finished"),
        pytest.param(session().prompt(), True, id="accepted"),
        pytest.param(finished().prompt().attempt(), True, id="second run"),
        pytest.param(
            session().prompt().attempt().answer("x").finish().joined(), False, id="joined"
        ),
        pytest.param(finished().usage().tail(b'{"kind":"rec'), False, id="torn tail"),
        pytest.param(session().prompt().tail(b"\0" * 100), True, id="unfinished, torn tail"),
        pytest.param(session().prompt("x" * 200_000), True, id="line longer than a block"),
        pytest.param(session().prompt().raw(b"damaged"), False, id="damaged"),
    ],
)
def test_the_last_operation_is_found_from_the_end(tmp_path: Path, log: Log, expected: bool) -> None:
    assert looks_unfinished(write_session(tmp_path, log)) is expected


def test_a_file_that_is_not_there_looks_finished(tmp_path: Path) -> None:
    assert not looks_unfinished(tmp_path / "none.jsonl")


def test_a_file_without_a_whole_line_looks_finished(tmp_path: Path) -> None:
    path = tmp_path / "torn.jsonl"
    path.write_bytes(session().prompt().to_bytes().split(b"\n")[-2])
    assert not looks_unfinished(path)
