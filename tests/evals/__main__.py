"""``python -m tests.evals``: ten small tasks, done by a model, judged by verifiers it never sees.

The model is the one that is configured, as for ``perdure run``; ``--model`` names another one.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.evals.running import Outcome, attempt
from tests.evals.task import Task, all_tasks


def main() -> int:
    """Print a table; 0 when every task is done."""
    arguments = _arguments()
    tasks = [task for task in all_tasks() if not arguments.task or task.name in arguments.task]
    home = Path(tempfile.mkdtemp(prefix="perdure-evals-"))
    outcomes = [_shown(_attempt(task, home, arguments)) for task in tasks]
    done = sum(not outcome.problem for outcome in outcomes)
    tokens = sum(outcome.tokens for outcome in outcomes)
    print(f"\n{done} of {len(outcomes)} done, {tokens} tokens. Workspaces and sessions: {home}")
    return 0 if done == len(outcomes) else 1


def _attempt(task: Task, home: Path, arguments: argparse.Namespace) -> Outcome:
    options: Sequence[str] = ("--model", arguments.model) if arguments.model else ()
    return attempt(
        task,
        home,
        environ=os.environ,
        options=options,
        script=task.solution if arguments.scripted else "",
        seconds=arguments.seconds,
    )


def _shown(outcome: Outcome) -> Outcome:
    """Print the line of a task as soon as it is judged."""
    mark = "fail" if outcome.problem else "done"
    numbers = f"{outcome.requests:>3} requests {outcome.calls:>3} calls {outcome.tokens:>8} tokens"
    print(f"{mark}  {outcome.task:<20} {outcome.seconds:>6.1f} s {numbers}  {outcome.problem}")
    sys.stdout.flush()
    return outcome


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.evals", description=__doc__)
    parser.add_argument("--model", metavar="NAME", help="the model that answers")
    parser.add_argument(
        "--task", metavar="NAME", action="append", help="only this task; may be repeated"
    )
    parser.add_argument(
        "--seconds", type=float, default=600, help="what a task may take, default 600"
    )
    parser.add_argument(
        "--scripted", action="store_true", help="tell the demo model how to solve each task"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
