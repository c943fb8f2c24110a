"""Every byte prefix of a log means its complete lines, with whatever sidecar a crash leaves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.disk_golden import Golden, all_golden, golden, state_of
from tests.support.torture import report, torturing
from tests.unit.store.sessions import make_options

from perdure.store._opening import open_log
from perdure.store._seal_file import seal_path
from perdure.store.seal import Sidecar, parse_sidecar
from perdure.store.verdict import Sound, Torn, judge


def lengths(golden: Golden, *, step: int) -> Iterator[int]:
    """Yield lengths from the header's on: all of them, or some and those around line ends."""
    near = {end + by for end in golden.ends for by in (-1, 0, 1)}
    for length in range(golden.ends[0], len(golden.log) + 1):
        if torturing() or length % step == 0 or length in near:
            yield length


def sidecars(golden: Golden, complete: int) -> Iterator[Sidecar | None]:
    """Yield what may stand beside the first ``complete`` bytes: nothing, all seals, or most."""
    yield None
    lines = golden.seal.splitlines(keepends=True)
    written = [line for line in lines if all(s.end <= complete for s in parse_sidecar(line).seals)]
    yield parse_sidecar(b"".join(written))
    yield parse_sidecar(b"".join(written[:-1]))
    yield parse_sidecar(b"".join(written[:-1]) + written[-1][:20])
    yield parse_sidecar(bytes(64) + b"".join(written[1:]))


@pytest.mark.parametrize("golden", all_golden(), ids=lambda golden: golden.name)
def test_every_prefix_means_its_complete_lines(golden: Golden) -> None:
    tried = 0
    for length in lengths(golden, step=101):
        data = golden.log[:length]
        complete = data.rindex(b"\n") + 1
        expected = state_of(data[:complete])
        for sidecar in sidecars(golden, complete):
            verdict = judge(data, sidecar)
            assert isinstance(verdict, Sound if complete == length else Torn), length
            assert verdict.ledger.state == expected
            tried += 1
    report(1, "prefixes judged", tried)


def test_a_prefix_reopens_and_a_second_opening_changes_nothing(tmp_path: Path) -> None:
    whole = golden("whole run", "barrier")
    name = f"2026-01-02T03-04-05-678Z_{state_of(whole.log).header.id}.jsonl"
    reopened = 0
    for length in lengths(whole, step=199):
        path = tmp_path / str(length) / name
        path.parent.mkdir(mode=0o700)
        complete = whole.log.rindex(b"\n", 0, length) + 1
        path.write_bytes(whole.log[:length])
        seals = [seal.encode() for seal in whole.sidecar.seals if seal.end <= complete]
        seal_path(path).write_bytes(b"".join(seals))
        first = open_log(path, make_options())
        first.log.close()
        assert first.ledger.state == state_of(whole.log[:complete])
        assert (first.torn_tail is not None) == (complete < length)
        before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
        second = open_log(path, make_options())
        second.log.close()
        assert second.ledger.state == first.ledger.state
        assert second.torn_tail is None
        assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
        reopened += 1
    report(1, "prefixes reopened twice", reopened)
