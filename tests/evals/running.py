"""One task, from the beginning to the verdict, by ``perdure run``."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.evals.task import Task

COMMAND = (sys.executable, "-m", "perdure", "run", "--json", "--new")
ALLOWED = ("bash", "write", "edit")


@dataclass(frozen=True)
class Outcome:
    """What became of a task. ``problem`` is "" where it is done; ``seconds`` are of the run."""

    task: str
    problem: str
    seconds: float
    requests: int
    calls: int
    tokens: int


def attempt(
    task: Task,
    home: Path,
    *,
    environ: Mapping[str, str],
    options: Sequence[str] = (),
    script: str = "",
    seconds: float = 600,
) -> Outcome:
    """Have a model try the task in ``home/<name>``; its sessions are kept beside that.

    ``environ`` says which model answers, with the user's own configuration; ``script`` is for the
    demo model, which only does what it is told.
    """
    workspace = home / task.name
    task.set_up(workspace)
    words = [*options, f"{task.prompt}\n{script}"]
    kept_here = {**environ, "PERDURE_STATE_DIR": str(home / "state")}
    begun = time.monotonic()
    problem, output = _run(words, workspace, kept_here, seconds=seconds)
    ended = time.monotonic()
    facts = list(_facts(output))
    return Outcome(
        task=task.name,
        problem=problem or task.problem(workspace) or "",
        seconds=ended - begun,
        requests=_count(facts, "stepAttempt"),
        calls=_count(facts, "toolStarted"),
        tokens=sum(sum(fact["usage"].values()) for fact in facts if fact["kind"] == "usage"),
    )


def _run(
    words: Sequence[str], workspace: Path, environ: Mapping[str, str], *, seconds: float
) -> tuple[str, bytes]:
    """Return why there was no answer, "" where there was one, and the events."""
    allowed = [word for tool in ALLOWED for word in ("--allow", tool)]
    try:
        run = subprocess.run(
            [*COMMAND, *allowed, *words],
            cwd=workspace,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return f"not finished after {seconds:g} s", late.stdout or b""
    return _problem(run), run.stdout


def _problem(run: subprocess.CompletedProcess[bytes]) -> str:
    """Say why there was no answer; "" where there was one."""
    if run.returncode == 0:
        return ""
    said = run.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return said or f"perdure run ended with {run.returncode}"


def _facts(output: bytes) -> Iterator[Any]:
    """Yield the committed facts among the events; the last line may be cut."""
    for line in output.split(b"\n"):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if event["event"] == "committed":
            yield from event["facts"]


def _count(facts: Sequence[Any], kind: str) -> int:
    return sum(fact["kind"] == "record" and fact["record"]["type"] == kind for fact in facts)
