"""The two output streams of a command, taken into files. Standard library only."""

from __future__ import annotations

import errno
import os

CAPTURE_CAP = 10_000_000
"""Bytes of output kept of one command, both streams together."""

_CHUNK = 65_536
_PIPE_CAPACITY = 1_048_576
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Capture:
    """Pipes whose content goes to files up to the cap; what is over it is thrown away.

    The command is never held up and never killed for writing much. ``capped`` tells that
    something was thrown away, for the cap or because the disk had no room.
    """

    def __init__(self, paths: list[str]) -> None:
        self.capped = False
        self.child_ends: list[int] = []
        self._files: dict[int, int] = {}
        self._room = CAPTURE_CAP
        self._discarding = False
        for path in paths:
            read_end, write_end = os.pipe()
            os.set_blocking(read_end, False)
            self._files[read_end] = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            self.child_ends.append(write_end)

    @property
    def open_ends(self) -> list[int]:
        """The pipes on which output may still come."""
        return list(self._files)

    def take(self, read_end: int) -> bool:
        """Move one piece of what is there; return whether there was any."""
        try:
            data = os.read(read_end, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            os.close(self._files.pop(read_end))
            os.close(read_end)
            return False
        if not self._discarding:
            self._keep(read_end, data)
        return True

    def take_what_is_there(self) -> None:
        """Move all that was written up to now, but no endless stream."""
        for read_end in self.open_ends:
            pieces = _PIPE_CAPACITY // _CHUNK
            while pieces > 0 and self.take(read_end):
                pieces -= 1

    def discard_from_now_on(self) -> None:
        """Keep the pipes flowing without keeping what flows."""
        self._discarding = True

    def _keep(self, read_end: int, data: bytes) -> None:
        kept = data[: self._room]
        self._room -= len(kept)
        written = _write_all(self._files[read_end], kept)
        self.capped = self.capped or not written or len(kept) < len(data)


def _write_all(descriptor: int, data: bytes) -> bool:
    """Write all of ``data``; return False when the disk has no room for it."""
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        return False
    return True
