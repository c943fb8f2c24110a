"""The reducer against the original's fixtures, structurally compared."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from perdure.core.reducer import Ledger, Reduced, apply, load_ledger, reduce_session
from perdure.core.shape import result_json

ROOT = Path(__file__).resolve().parents[2]
CHOICE = os.environ.get("PERDURE_CORPUS", "")
FIXTURES = (ROOT / (CHOICE or "../shared/corpus")).resolve() / "session" / "fixtures"

pytestmark = pytest.mark.skipif(
    CHOICE == "none", reason="PERDURE_CORPUS=none: the original's fixtures were not run"
)


def _names() -> list[str]:
    manifest = FIXTURES / "manifest.json"
    if not manifest.exists():
        return []
    return [fixture["name"] for fixture in json.loads(manifest.read_text())["fixtures"]]


def _data(name: str) -> bytes:
    return (FIXTURES / f"{name}.jsonl").read_bytes()


@pytest.mark.requirement(76, 77)
def test_corpus_is_there() -> None:
    assert _names(), (
        f"There are no fixtures in {FIXTURES}. Set PERDURE_CORPUS to the folder with the "
        "original's conformance data, or to 'none' to go without."
    )


@pytest.mark.requirement(14, 15, 77, 75, 126)
@pytest.mark.parametrize("name", _names())
def test_result(name: str) -> None:
    expected = json.loads((FIXTURES / f"{name}.expected.json").read_text())
    assert result_json(reduce_session(_data(name))) == expected


@pytest.mark.requirement(11)
@pytest.mark.parametrize("name", _names())
def test_every_line_prefix_reduces_the_same_twice_and_step_by_step(name: str) -> None:
    data = _data(name)
    lines = [line + b"\n" for line in data.split(b"\n")[:-1]]
    ledger = load_ledger(lines[0])
    for count in range(2, len(lines) + 1):
        if not isinstance(ledger, Ledger):
            return
        prefix = b"".join(lines[:count])
        result = apply(ledger, lines[count - 1])
        assert result == reduce_session(prefix) == reduce_session(prefix)
        if not isinstance(result, Reduced):
            return
