"""``perdure models``."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.cli import new_cli
from tests.support.model_server import ModelServer

from perdure.json_types import JsonObject

pytestmark = pytest.mark.process

MODELS: JsonObject = {
    "data": [
        {"id": "small", "context_length": 8192},
        {"id": "large-one", "pricing": {"prompt": "0.000001", "completion": "0.000002"}},
    ]
}


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("large-one", "* large-one $1 in, $2 out per million"),
        ("gone", "The model that is configured, gone, is not in the list."),
    ],
)
def test_one_model_a_line(tmp_path: Path, name: str, last: str) -> None:
    with ModelServer([], resources={"/v1/models": MODELS}) as server:
        cli = new_cli(tmp_path)
        cli.configure(f'[model]\nbaseUrl = "{server.base_url}"\nname = "{name}"')
        done = cli.run("models")
    assert done.returncode == 0
    lines = [" ".join(line.split()) for line in done.stdout.decode().splitlines()]
    assert lines[1] == "small 8,192 tokens"
    assert lines[-1] == last


def test_an_endpoint_that_fails_is_one_sentence(tmp_path: Path) -> None:
    with ModelServer([]) as server:
        pass
    cli = new_cli(tmp_path)
    cli.configure(f'[model]\nbaseUrl = "{server.base_url}"\nname = "m"')
    done = cli.run("models")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"Start the local model server" in done.stderr
