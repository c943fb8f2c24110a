"""Running a program that only looks, and reading what it prints.

It is a process of its own, so that it can be ended at once whatever it does, and so that nothing
that a model wrote (a pattern, the address of a page) can hold up the server.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from perdure.json_types import JsonObject
from perdure.tools.own_python import FOR_PYTHON, own_python
from perdure.tools.process_table import kill_group

Ending: TypeAlias = Literal["ended", "enough", "timeout"]

GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
"""Git without the programs that the configuration of a repository can name."""

_INHERITED = ("PATH", "HOME", "XDG_CONFIG_HOME", *FOR_PYTHON)
_CHUNK = 1024 * 1024
_ERROR_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class Looked:
    """How a program ended: by itself, because enough was read, or because time was up.

    ``exit_code`` is that of one that ended by itself, ``error`` the begin of its stderr.
    """

    ending: Ending
    exit_code: int
    error: str


class Output:
    """Takes what a program prints, up to ``most`` bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._pieces: list[bytes] = []
        self._size = 0

    def take(self, data: bytes) -> bool:
        """See ``look``."""
        self._pieces.append(data)
        self._size += len(data)
        return self._size < self._most

    @property
    def data(self) -> bytes:
        """What was taken."""
        return b"".join(self._pieces)


def own_program(module: str, request: JsonObject) -> list[str]:
    """Return the command that runs ``main(request)`` of a module of ours (see ``own_python``).

    The request is JSON.
    """
    import json

    return own_python(module, json.dumps(request))


async def look(
    command: Sequence[str],
    *,
    folder: int,
    seconds: float,
    take: Callable[[bytes], bool],
    stdin: int = asyncio.subprocess.DEVNULL,
) -> Looked:
    """Run ``command`` in the folder of the descriptor ``folder``; pass on what it prints.

    ``take`` returns False when it has enough. When this returns, or is cancelled, nothing of the
    program is alive. Raises OSError when it cannot be started.
    """
    process = await _started(command, folder, stdin)
    output = cast(asyncio.StreamReader, process.stdout)
    error = asyncio.ensure_future(_beginning(cast(asyncio.StreamReader, process.stderr)))
    ending: Ending = "ended"
    try:
        async with asyncio.timeout(seconds):
            while ending == "ended" and (data := await output.read(_CHUNK)):
                ending = "ended" if take(data) else "enough"
            if ending == "ended":
                await process.wait()
    except TimeoutError:
        ending = "timeout"
    finally:
        if process.returncode is None:
            kill_group(process.pid)
        while await output.read(_CHUNK):
            continue  # to its end, or the pipe would stay open
        words = await error
        code = await process.wait()
    return Looked(ending, code, words)


async def _started(command: Sequence[str], folder: int, stdin: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *command,
        cwd=_path_of(folder),
        env={name: os.environ[name] for name in _INHERITED if name in os.environ},
        stdin=stdin,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
        limit=_CHUNK,
    )


async def _beginning(stream: asyncio.StreamReader) -> str:
    """Read to the end, so that the program is never held up, and return the begin."""
    begin = b""
    while data := await stream.read(_CHUNK):
        begin = (begin + data)[:_ERROR_BYTES]
    return begin.decode("utf-8", "replace").strip()


def _path_of(folder: int) -> str:
    """Return a path by which a child gets to the very folder that is open here."""
    if sys.platform == "linux":
        return f"/proc/self/fd/{folder}"
    else:  # noqa: RET505  (mypy knows what is of another platform)
        import fcntl

        found = fcntl.fcntl(folder, fcntl.F_GETPATH, bytes(1024))
        return os.fsdecode(found.rstrip(b"\0"))
