"""Sessions that released versions wrote open for ever, and opening changes no byte of them.

A release keeps the sessions that it writes: ``python -m tests.support.disk_golden
tests/conformance/golden/VERSION``. Files of a release are never changed.
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from tests.support.disk_golden import LOGS, golden
from tests.unit.store.sessions import make_options

from perdure.core.reducer import Reduced, reduce_session
from perdure.core.state import SessionState
from perdure.store.jsonl import SessionStore
from perdure.store.seal import parse_sidecar
from perdure.store.verdict import Sound, judge

RELEASES = Path(__file__).parent / "golden"
FILES = sorted(RELEASES.glob("*/*.jsonl"))
NEWEST = RELEASES / "0.1"


def _ids(path: Path) -> str:
    return f"{path.parent.name} {path.stem}"


@pytest.mark.parametrize("log", FILES, ids=_ids)
def test_a_session_of_a_release_opens_as_it_is(tmp_path: Path, log: Path) -> None:
    data = log.read_bytes()
    reduced = reduce_session(data)
    assert isinstance(reduced, Reduced)
    path = tmp_path / f"2026-01-02T03-04-05-678Z_{reduced.state.header.id}.jsonl"
    shutil.copy(log, path)
    shutil.copy(log.with_suffix(".seal"), path.with_suffix(".seal"))
    asyncio.run(_opens_as(path, reduced.state))
    assert path.read_bytes() == data
    assert path.with_suffix(".seal").read_bytes() == log.with_suffix(".seal").read_bytes()
    sidecar = parse_sidecar(log.with_suffix(".seal").read_bytes())
    assert isinstance(judge(data, sidecar), Sound)
    assert sidecar.seals[-1].end == len(data)


async def _opens_as(path: Path, state: SessionState) -> None:
    store = await SessionStore.open(path, options=make_options())
    assert store.state == state
    assert store.torn_tail is None
    await store.close()


@pytest.mark.parametrize("name", LOGS)
def test_what_is_written_now_is_what_the_newest_release_writes(name: str) -> None:
    stem = NEWEST / name.replace(" ", "-")
    written = golden(name, "barrier")
    assert written.log == stem.with_suffix(".jsonl").read_bytes()
    assert written.seal == stem.with_suffix(".seal").read_bytes()
