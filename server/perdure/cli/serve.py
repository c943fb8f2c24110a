"""``perdure serve``: the language server on standard input and output."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence

from perdure.cli.help_text import plain
from perdure.cli.privacy import hide_memory
from perdure.lsp.agents import AgentFactory, workspace_agent
from perdure.lsp.stdio import Stream, accept_tcp, claim_stdio


def run(argv: Sequence[str], *, agent_factory: AgentFactory = workspace_agent) -> int:
    """Serve one client, then end the process with the server's exit code; never returns."""
    stream = _stream(argv)
    hide_memory(os.environ)
    # The many classes made while importing are never garbage; not looking saves 100 ms.
    gc.disable()
    import asyncio

    from perdure.cli.log import configure_log
    from perdure.lsp.lazy_types import load_lazily

    load_lazily()
    from perdure.lsp.life import serve
    from perdure.lsp.server import Server

    gc.freeze()
    gc.enable()
    configure_log()

    async def main() -> int:
        return await serve(stream, Server(environ=os.environ, agent_factory=agent_factory))

    code = asyncio.Runner().run(main())
    sys.stderr.flush()
    # A thread that hangs in a system call must not keep the process alive.
    os._exit(code)


def _stream(argv: Sequence[str]) -> Stream:
    parser = argparse.ArgumentParser(prog="perdure serve", description=plain(__doc__))
    parser.add_argument("--tcp", metavar="HOST:PORT", help="listen there, for debugging")
    tcp: str | None = parser.parse_args(argv).tcp
    if tcp is None:
        return claim_stdio()
    host, _, port = tcp.rpartition(":")
    if not port.isdecimal():
        parser.error("--tcp needs HOST:PORT")
    try:
        return accept_tcp(host, int(port))
    except (OSError, OverflowError) as error:
        parser.error(f"--tcp {tcp}: {error}")
