"""Following a session file: what is added is read, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.log import Log, session
from tests.unit.agent.transcripts import document

from perdure.agent.transcript.file import TranscriptFile
from perdure.core.codec import MalformedJson
from perdure.core.masking import masked
from perdure.core.reducer import Reduced, reduce_session
from perdure.core.state import SessionState
from perdure.errors import StorageFailed


def _state(log: Log) -> SessionState:
    result = reduce_session(log.to_bytes())
    assert isinstance(result, Reduced)
    return result.state


def _written(path: Path, log: Log, *, tail: bytes = b"") -> SessionState:
    path.write_bytes(log.to_bytes() + tail)
    return _state(log)


def test_every_step_of_a_growing_file_is_the_whole_document(tmp_path: Path) -> None:
    log, path = session(), tmp_path / "s.jsonl"
    file = TranscriptFile(path)
    assert file.catch_up(_written(path, log)) == document(log)
    for grow in (Log.prompt, Log.attempt, Log.usage):
        grow(log)
        assert file.catch_up(_written(path, log, tail=b'[{"torn')) == document(log)
        assert file.catch_up(_state(log)) == document(log)


def test_a_state_older_than_the_file_gives_its_own_document(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    old = _written(path, session().prompt("one"))
    log = session().prompt("one").attempt().answer("two").finish()
    file = TranscriptFile(path)
    assert file.catch_up(_written(path, log)) == document(log)
    assert file.catch_up(old) == document(session().prompt("one"))


def test_a_replaced_file_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    file = TranscriptFile(path)
    file.catch_up(_written(path, session().prompt("one")))
    other = session().prompt("another").attempt()
    state = _written(tmp_path / "new", other)
    (tmp_path / "new").rename(path)
    assert file.catch_up(state) == document(other)


def test_a_notice_stands_before_everything_while_it_is_true(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    file = TranscriptFile(path)
    state = _written(path, session().prompt("one"))
    lines = file.catch_up(state, notice="Beware.").text.split("\n")
    assert lines[2] == "**Beware.**"
    assert lines[file.catch_up(state, notice="Beware.").starts[0]].startswith("## 1.")
    assert file.catch_up(state) == document(session().prompt("one"))


def test_a_read_that_fails_leaves_nothing_half_done(tmp_path: Path) -> None:
    log, path = session().prompt("one"), tmp_path / "s.jsonl"
    file = TranscriptFile(path)
    file.catch_up(_written(path, log))
    state = _written(path, log.attempt().answer("two").finish())
    path.write_bytes(path.read_bytes()[:-40] + b"[" * 39 + b"\n")
    with pytest.raises(MalformedJson):
        file.catch_up(state)
    assert file.catch_up(_written(path, log)) == document(log)


def test_a_file_that_is_gone_is_said(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="cannot be read"):
        TranscriptFile(tmp_path / "s.jsonl").catch_up(_state(session()))


def test_results_are_masked_when_the_user_wants_it_and_only_then(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    file = TranscriptFile(path)
    log = session().prompt().attempt("read").calls(("read", {"path": "a"})).started(0)
    state = _written(path, log.result(0, "AKIAIOSFODNN7EXAMPLE"))
    assert "AKIA" in file.catch_up(state).text
    shown = file.catch_up(state, shown=masked).text
    assert "AKIA" not in shown
    assert "[masked: AWS key]" in shown
    assert file.catch_up(state) == document(log)
