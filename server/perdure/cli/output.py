"""Standard output as data: what cannot be written is an error, never lost in silence."""

from __future__ import annotations

import os
import sys

from perdure.errors import PerdureError


class OutputFailed(PerdureError):
    """Standard output took not everything, as on a full disk."""

    code = "output_failed"

    def __init__(self, error: OSError) -> None:
        super().__init__(f"The output could not be written: {error.strerror or error}.")


def open_standard_streams() -> None:
    """Let what was closed (``>&-``) lead nowhere: otherwise a session could become file 1."""
    for fd, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != fd:
                os.dup2(nowhere, fd)
                os.close(nowhere)
            setattr(sys, name, open(fd, mode, encoding="utf-8"))  # noqa: SIM115


def write(text: str) -> None:
    """Write UTF-8, whatever the locale says. Raises as ``flush``."""
    flush()
    sys.stdout.buffer.write(text.encode())
    flush()


def flush() -> None:
    """Return when everything is written.

    Raises ``OutputFailed``, and ``BrokenPipeError`` when the reader is gone.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon()
        raise OutputFailed(error) from error


def abandon() -> None:
    """Write nothing any more: the interpreter must not try again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
