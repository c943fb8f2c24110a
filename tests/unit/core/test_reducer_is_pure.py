"""The reducer touches nothing but its argument."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.fixtures.stages import READ, summarising, tool_started

from perdure.core.reducer import reduce_session
from perdure.core.shape import result_json

GUARDED = """
import json, os, sys
from perdure.core.reducer import reduce_session
from perdure.core.shape import result_json

data = sys.stdin.buffer.read()
json.dumps(result_json(reduce_session(b"")))
forbidden = ("open", "os.", "socket.", "subprocess.", "shutil.", "tempfile.", "time.", "import")

def guard(event, args):
    if event.startswith(forbidden):
        os._exit(99)

sys.addaudithook(guard)
if sys.argv[1:] == ["touch"]:
    os.listdir(".")
print(json.dumps(result_json(reduce_session(data))))
"""
DATA = {
    "a run": tool_started(READ).result(0).to_bytes(),
    "a compaction": summarising().summary().finish().to_bytes(),
    "the slow way": tool_started(READ).to_bytes().replace(b'":', b'" :'),
    "corrupt": tool_started(READ).started(0).to_bytes(),
}


def _run(
    data: bytes, *arguments: str, cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", GUARDED, *arguments],
        input=data,
        capture_output=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "PERDURE_ENVIRONMENT_IDENTITY": "elsewhere", "PERDURE_MODEL": "other"},
    )


@pytest.mark.requirement(4, 5, 6)
@pytest.mark.parametrize("data", DATA.values(), ids=DATA.keys())
def test_no_file_network_or_process_and_no_environment(data: bytes, tmp_path: Path) -> None:
    done = _run(data, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == result_json(reduce_session(data))


def test_the_guard_would_notice() -> None:
    assert _run(b"", "touch").returncode == 99
