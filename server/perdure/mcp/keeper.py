"""The small process between Perdure and one MCP server on stdio. Standard library only.

It has the server's standard input in common with it and hands on its output. When Perdure closes
that input, the server may end by itself for a moment; when Perdure is gone, however it died, or
asks by SIGTERM, everything is ended at once. On Linux it is a subreaper, so that nothing that the
server has started is left, whatever session it moved to.

A line of output that is longer than ``MAX_LINE`` ends the server: whoever reads lines would have
to keep it in memory.
"""

from __future__ import annotations

import os
import select
import signal
import time

from perdure.tools.process_table import become_subreaper, descendants, die_with_parent, send

MAX_LINE = 4 * 1024 * 1024
_INPUT = 0
_OUTPUT = 1
_CHUNK = 65_536
_LEAVE_SECONDS = 0.5
_TERMINATE_SECONDS = 0.25
_KILL_SECONDS = 5.0
_STEP_SECONDS = 0.01


def main(*command: str) -> None:
    """Run ``command`` until it ends or is ended; does not return."""
    become_subreaper()
    keeper = _Keeper(command)
    try:
        keeper.run()
    except _Terminated:
        pass
    finally:
        keeper.end_everything()
        os._exit(0)


class _Keeper:
    """One server and all that it starts."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self._parent = os.getppid()
        self._ended = False
        self._no_children = False
        self._open_line = 0
        signal.signal(signal.SIGTERM, _terminate)
        self._output, far_end = os.pipe()
        self._child = os.fork()
        if self._child == 0:
            _become(command, far_end)
        os.close(far_end)

    def run(self) -> None:
        """Hand on output until the server has ended or its input is closed."""
        poll = select.poll()
        poll.register(_INPUT, 0)  # only POLLHUP: the input is the server's to read
        poll.register(self._output, select.POLLIN)
        while True:
            for descriptor, _ in poll.poll():
                if descriptor == _INPUT:
                    self._let_it_leave()
                    return
                if not self._hand_on():
                    return

    def end_everything(self) -> None:
        """Ask politely while Perdure is there to see it, then kill until nothing is left."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.getppid() == self._parent:
            self._send_until(signal.SIGTERM, _TERMINATE_SECONDS, again=False)
        self._send_until(signal.SIGKILL, _KILL_SECONDS, again=True)

    def _hand_on(self) -> bool:
        """Pass on what is there; False at the end, and when a line is too long."""
        chunk = os.read(self._output, _CHUNK)
        end = chunk.rfind(b"\n")
        self._open_line = len(chunk) - end - 1 if end >= 0 else self._open_line + len(chunk)
        if self._open_line > MAX_LINE:
            os.write(2, b"perdure: a message of the server is too long; it is ended\n")
            return False
        rest = memoryview(chunk)
        try:
            while rest:
                rest = rest[os.write(_OUTPUT, rest) :]
        except BrokenPipeError:
            return False
        return bool(chunk)

    def _let_it_leave(self) -> None:
        """Give the server a moment to end by itself, while Perdure is alive."""
        deadline = time.monotonic() + _LEAVE_SECONDS
        while time.monotonic() < deadline and not self._ended:
            if os.getppid() != self._parent:
                return
            time.sleep(_STEP_SECONDS)
            self._reap()

    def _send_until(self, number: int, seconds: float, *, again: bool) -> None:
        """Signal all descendants and wait until none is left, at most ``seconds``."""
        deadline = time.monotonic() + seconds
        send(descendants(os.getpid()), number)
        self._reap()
        while not self._no_children and time.monotonic() < deadline:
            time.sleep(_STEP_SECONDS)
            if again:
                send(descendants(os.getpid()), number)
            self._reap()

    def _reap(self) -> None:
        """Collect every child that has ended."""
        try:
            while (ended := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                self._ended |= ended == self._child
        except ChildProcessError:
            self._no_children = True


class _Terminated(BaseException):
    """SIGTERM came: leave whatever blocks."""


def _terminate(number: int, frame: object) -> None:
    raise _Terminated


def _become(command: tuple[str, ...], output: int) -> None:
    """Replace this forked process by the server; never return."""
    try:
        die_with_parent()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.dup2(output, _OUTPUT)
        os.execvp(command[0], command)  # noqa: S606  (the user's own command)
    except OSError as error:
        os.write(2, f"perdure: cannot run {command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)
