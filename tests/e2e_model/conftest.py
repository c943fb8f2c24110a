"""The real model of these tests, started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.e2e_model.llama_server import FOLDER, MODEL, NAMED, PROGRAM, LlamaServer, llama_server


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    """A running model; without its packages a skip, or a failure where their folder is named."""
    missing = [str(path) for path in (PROGRAM, MODEL) if not path.exists()]
    if missing and not NAMED:
        pytest.skip(f"no real model in {FOLDER}: make e2e-model installs it")
    assert not missing, f"PERDURE_E2E_MODEL={NAMED} lacks {', '.join(missing)}"
    with llama_server(tmp_path_factory.mktemp("llama") / "log.txt") as server:
        yield server
