"""``perdure acp``: the Agent Client Protocol on standard input and output."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from perdure.cli.exit_codes import FAILED
from perdure.cli.help_text import plain
from perdure.cli.privacy import hide_memory
from perdure.lsp.stdio import close_stdio

NOT_INSTALLED = (
    "perdure acp: the package agent-client-protocol is not installed: pip install 'perdure[acp]'"
)


def run(argv: Sequence[str]) -> int:
    """Serve one client, then end the process; returns only where the SDK is not installed."""
    argparse.ArgumentParser(prog="perdure acp", description=plain(__doc__)).parse_args(argv)
    reading, writing = os.dup(0), os.dup(1)
    close_stdio()
    hide_memory(os.environ)
    import asyncio

    from perdure.cli.log import configure_log

    configure_log()
    try:
        from perdure.acp.serve import serve
    except ModuleNotFoundError:
        print(NOT_INSTALLED, file=sys.stderr)
        return FAILED
    from perdure.cli.settings import load_settings

    settings = load_settings(os.environ)
    asyncio.run(serve(reading, writing, settings=settings, environ=os.environ))
    sys.stderr.flush()
    # A thread that hangs in a system call must not keep the process alive.
    os._exit(0)
