"""Spans of real runs at a real collector: taken, refused, or never answered."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.cli import Cli, new_cli
from tests.support.collector import Behaviour, Collector

pytestmark = pytest.mark.process

SCRIPT = 'call: bash {"command": "echo secret-output"}\n---\ntext: secret-answer'


def configured(tmp_path: Path, telemetry: str, **variables: str) -> Cli:
    """A user whose configuration has these lines in its section ``telemetry``."""
    cli = new_cli(tmp_path, **variables)
    cli.configure(f'[model]\nprovider = "demo"\n[telemetry]\n{telemetry}\n')
    return cli


def test_a_run_is_a_trace(tmp_path: Path) -> None:
    with Collector() as collector:
        cli = configured(tmp_path, f'endpoint = "{collector.endpoint}"')
        finished = cli.run("run", "--allow", "bash", SCRIPT)
    assert finished.returncode == 0
    names = [name.partition(" ")[0] for name in collector.names()]
    assert names == ["chat", "execute_tool", "chat", "invoke_agent"]
    assert set(collector.paths) == {"/v1/traces"}
    *children, root = collector.spans
    assert {span.trace_id for span in collector.spans} == {root.trace_id}
    assert {span.parent_span_id for span in children} == {root.span_id}
    assert root.parent_span_id == b""
    assert "secret" not in str(collector.spans)


def test_what_was_said_is_sent_only_when_it_is_wanted(tmp_path: Path) -> None:
    with Collector() as collector:
        cli = configured(tmp_path, f'endpoint = "{collector.endpoint}"\ncontent = true')
        cli.run("run", "--allow", "bash", SCRIPT)
    assert "secret-output" in str(collector.spans)
    assert "secret-answer" in str(collector.spans)


@pytest.mark.parametrize("behaviour", ["refuses", "hangs"])
def test_an_endpoint_that_fails_touches_nothing(tmp_path: Path, behaviour: Behaviour) -> None:
    with Collector(behaviour) as collector:
        cli = configured(tmp_path, f'endpoint = "{collector.endpoint}"')
        finished = cli.run("run", "--allow", "bash", SCRIPT)
        assert collector.asked.is_set()
    assert finished.returncode == 0
    assert finished.stdout.decode() == "[demo] secret-answer\n"
    assert b"elemetry" not in finished.stderr
    assert collector.spans == []


def test_an_endpoint_that_is_not_there_touches_nothing(tmp_path: Path) -> None:
    cli = configured(tmp_path, 'endpoint = "http://127.0.0.1:1"')
    finished = cli.run("run", "--allow", "bash", SCRIPT)
    assert (finished.returncode, finished.stdout.decode()) == (0, "[demo] secret-answer\n")


def test_it_can_be_turned_off_for_all_programs(tmp_path: Path) -> None:
    with Collector() as collector:
        cli = configured(tmp_path, f'endpoint = "{collector.endpoint}"', OTEL_SDK_DISABLED="true")
        assert cli.run("run", "--allow", "bash", SCRIPT).returncode == 0
    assert collector.paths == []


def test_the_sdk_is_not_imported_before_an_endpoint_is_configured() -> None:
    program = "import perdure.lsp.server, perdure.agent.workspace, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "perdure.telemetry.telemetry" in loaded
    assert [name for name in loaded if name.startswith(("opentelemetry", "google.proto"))] == []
