"""``perdure demo``: a real server is killed in the middle of its work, and reopened."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from perdure.cli.demo_narrator import DemoFailed, Narrator
from perdure.cli.demo_stage import Stage
from perdure.cli.demo_story import play
from perdure.cli.exit_codes import OK
from perdure.cli.help_text import plain
from perdure.cli.lsp_connection import ConnectionLost, RpcError

_SECONDS = 120


def run(argv: Sequence[str]) -> int:
    """Play the demo; 0 only if everything that it says was observed from outside.

    Raises ``DemoFailed`` otherwise; the scratch directory is kept then.
    """
    parser = argparse.ArgumentParser(prog="perdure demo", description=plain(__doc__))
    parser.add_argument("--keep", action="store_true", help="keep the scratch workspace and log")
    keep: bool = parser.parse_args(argv).keep
    scratch = Path(tempfile.mkdtemp(prefix="perdure-demo-")).resolve()
    try:
        _perform(scratch)
    except DemoFailed:
        keep = True
        raise
    finally:
        if keep:
            print(f"\nThe scratch workspace is kept: {scratch}")
        else:
            shutil.rmtree(scratch)
    return OK


def _perform(scratch: Path) -> None:
    tell = Narrator(print)
    stage = Stage(scratch, tell)
    try:
        asyncio.run(_play(stage, tell))
    except (ConnectionLost, RpcError, TimeoutError) as error:
        raise DemoFailed(
            f"Step {tell.number} did not happen ({type(error).__name__} {error}); "
            f"what the server said is in {stage.stderr}."
        ) from error


async def _play(stage: Stage, tell: Narrator) -> None:
    try:
        async with asyncio.timeout(_SECONDS):
            await play(stage, tell)
    finally:
        await stage.close()
