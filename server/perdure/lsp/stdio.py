"""Descriptors of the protocol stream, kept where neither ``print`` nor a child finds them.

Import nothing here that could print: this module runs before all others.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stream:
    """The two ends of the connection to the client.

    ``read(n)`` returns at most n bytes, b"" at the end; ``write`` returns how many bytes it took.
    Both block and raise OSError when the other end is gone.
    """

    read: Callable[[int], bytes]
    write: Callable[[memoryview], int]


def claim_stdio() -> Stream:
    """Take the protocol's descriptors away from 0 and 1 and return them as a stream.

    The copies are not inheritable. Afterwards descriptor 0 is the null device, so that tools
    which read see the end of input, and descriptor 1 is standard error.
    """
    reading = os.dup(0)
    writing = os.dup(1)
    close_stdio()
    return Stream(
        read=lambda size: os.read(reading, size),
        write=lambda data: os.write(writing, data),
    )


def close_stdio() -> None:
    """Point descriptor 0 to the null device and everything that is printed to standard error."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr


def accept_tcp(host: str, port: int) -> Stream:
    """Listen, name the port on standard error, and return the first connection as a stream."""
    close_stdio()
    with socket.create_server((host, port)) as listener:
        print(f"perdure: listening on port {listener.getsockname()[1]}", flush=True)  # noqa: T201
        connection, _ = listener.accept()
    return Stream(read=connection.recv, write=connection.send)
