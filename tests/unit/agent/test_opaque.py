"""Which opaque data belongs to which message, and what is never taken for it."""

from __future__ import annotations

import asyncio
import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.log import Log, session

from perdure.agent.opaque import OpaqueData, copy_opaque_data
from perdure.core.reducer.outcome import Reduced
from perdure.core.reducer.session import reduce_session
from perdure.core.state import SessionState
from perdure.json_types import JsonObject
from perdure.providers.base import ProviderIdentity
from perdure.store.places import data_path

MAKER = ProviderIdentity("openai", "m", "openai:chat-completions:v1", "models.example/v1:m", {})
DATA: JsonObject = {"reasoning_content": "Hm. \ud83d"}


def turn(log: Log) -> Log:
    """Begin a run that calls a tool and has its result; the call is ``log.latest``."""
    log.prompt().attempt().calls(("read", {"path": "a"})).started(0).result(0)
    return log


def state_of(log: Log) -> SessionState:
    outcome = reduce_session(log.to_bytes())
    assert isinstance(outcome, Reduced)
    return outcome.state


def known(opaque: OpaqueData, state: SessionState) -> dict[int, JsonObject]:
    return dict(asyncio.run(opaque.known(state, state.active_context)))


def test_it_is_found_by_entry_also_after_a_compaction(tmp_path: Path) -> None:
    log = turn(session())
    first = log.latest.entry_id
    log.attempt().answer("done").finish()
    turn(log)
    second = log.latest.entry_id
    log.attempt().answer("done").finish()
    opaque = OpaqueData(tmp_path, MAKER)
    asyncio.run(opaque.keep(first, {"n": 1}))
    asyncio.run(opaque.keep(second, {"n": 2}))
    assert known(opaque, state_of(log)) == {1: {"n": 1}, 5: {"n": 2}}
    log.compact(keep=4).attempt().summary().finish()
    state = state_of(log)
    assert known(opaque, state) == known(OpaqueData(tmp_path, MAKER), state) == {2: {"n": 2}}


def test_a_copy_of_a_session_has_what_is_kept_for_its_entries(tmp_path: Path) -> None:
    log = turn(session())
    early = log.latest.entry_id
    log.attempt().answer("done").finish()
    origin, copy = tmp_path / "origin.jsonl", tmp_path / "copy.jsonl"
    copy.write_bytes(log.to_bytes())
    past = state_of(log)
    turn(log)
    opaque = OpaqueData(data_path(origin), MAKER)
    for entry_id in (early, log.latest.entry_id):
        asyncio.run(opaque.keep(entry_id, DATA))
    copy_opaque_data(origin, copy)
    assert known(OpaqueData(data_path(copy), MAKER), past) == {1: DATA}
    (file,) = (data_path(copy) / "replay").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("damaged", range(3))
def test_one_that_cannot_be_copied_holds_up_no_other(tmp_path: Path, damaged: int) -> None:
    """Whichever it is, for the folder is read in no order."""
    log = session()
    ids = [turn(log).latest.entry_id for _ in range(3)]
    origin, copy = tmp_path / "origin.jsonl", tmp_path / "copy.jsonl"
    copy.write_bytes(log.to_bytes())
    opaque = OpaqueData(data_path(origin), MAKER)
    for entry_id in ids:
        asyncio.run(opaque.keep(entry_id, DATA))
    file = data_path(origin) / "replay" / f"{ids.pop(damaged)}.json"
    file.unlink()
    file.mkdir()
    copy_opaque_data(origin, copy)
    names = {path.name for path in (data_path(copy) / "replay").iterdir()}
    assert names == {f"{entry_id}.json" for entry_id in ids}


def test_a_session_without_any_is_copied_as_well(tmp_path: Path) -> None:
    copy_opaque_data(tmp_path / "origin.jsonl", tmp_path / "copy.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "reader",
    [replace(MAKER, routing="models.example/v1:other"), replace(MAKER, adapter="another:v1")],
)
def test_it_is_only_for_the_model_that_made_it(tmp_path: Path, reader: ProviderIdentity) -> None:
    log = turn(session())
    asyncio.run(OpaqueData(tmp_path, MAKER).keep(log.latest.entry_id, DATA))
    state = state_of(log)
    assert known(OpaqueData(tmp_path, MAKER), state) == {1: DATA}
    assert known(OpaqueData(tmp_path, reader), state) == {}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"data": {}}', b"\xff"])
def test_what_is_damaged_counts_as_not_kept(tmp_path: Path, content: bytes) -> None:
    log = turn(session())
    asyncio.run(OpaqueData(tmp_path, MAKER).keep(log.latest.entry_id, DATA))
    (file,) = (tmp_path / "replay").iterdir()
    assert json.loads(file.read_bytes())["routing"] == MAKER.routing
    file.write_bytes(content)
    assert known(OpaqueData(tmp_path, MAKER), state_of(log)) == {}


def test_what_cannot_be_kept_refuses_nothing(tmp_path: Path) -> None:
    (tmp_path / "replay").write_text("a file in the way")
    log = turn(session())
    opaque = OpaqueData(tmp_path, MAKER)
    asyncio.run(opaque.keep(log.latest.entry_id, DATA))
    assert known(opaque, state_of(log)) == {}
