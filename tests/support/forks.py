"""Processes that can be killed by the thousand: each is a fork, which costs milliseconds.

A module with ``serve(work)`` at its end forks a child for each line of standard input, a job, and
answers with a line, what came of it. Its own process has one thread, so forking is safe.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from perdure.json_types import JsonObject, JsonValue

REPOSITORY = Path(__file__).parents[2]


class Say(Protocol):
    """How a child tells what it has reached; what it says last of a name counts."""

    def __call__(self, **words: JsonValue) -> None:
        """Say it; it is heard even when the child is killed right afterwards."""


class Forks:
    """A running server of forks; one job at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def start(self, job: JsonObject) -> None:
        """Have a child do ``job``, without waiting for it."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()

    def outcome(self) -> JsonObject:
        """Wait for the end of the child; return what it said, and whether it was ``killed``."""
        assert self._process.stdout is not None
        said = json.loads(self._process.stdout.readline())
        assert isinstance(said, dict)
        return said

    def run(self, job: JsonObject) -> JsonObject:
        """Have a child do ``job``."""
        self.start(job)
        return self.outcome()


@contextmanager
def forks_of(module: str) -> Iterator[Forks]:
    """Start the server of forks that ``module`` is, and end it."""
    with subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Forks(process)


def serve(work: Callable[[JsonObject, Say], None]) -> None:
    """Fork a child for each job, which calls ``work`` and ends with it."""
    for line in sys.stdin:
        heard, pipe = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(heard)
            _work(work, json.loads(line), pipe)
        os.close(pipe)
        with open(heard, "rb") as file:
            said = file.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (0, -signal.SIGKILL), status
        print(json.dumps(_merged(said) | {"killed": status != 0}), flush=True)


def die() -> None:
    """Kill this process."""
    os.kill(os.getpid(), signal.SIGKILL)


def _work(work: Callable[[JsonObject, Say], None], job: JsonObject, pipe: int) -> None:
    def say(**words: JsonValue) -> None:
        os.write(pipe, json.dumps(words).encode() + b"\n")

    work(job, say)
    os._exit(0)


def _merged(said: bytes) -> JsonObject:
    merged: JsonObject = {}
    for line in said.splitlines():
        merged |= json.loads(line)
    return merged
