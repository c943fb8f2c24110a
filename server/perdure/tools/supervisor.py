"""The small process between the server and one command. Standard library only.

It runs the command of a job file in a session of its own and captures its output in files. Its
stdin is the server's life line, on its stdout it reports with one byte that the job file holds
the outcome.

* The server holds the other end of the life line. The first line on it is a JSON object: the
  ``job`` and its file, ``record``; the ``shell``, to which ``-c`` and the command are added; its
  ``environment``.
* End of file means that the server is gone, however it died: the command and all its descendants
  are killed at once, unless the job says ``keepRunning``; then the command goes on and a later
  server reads the job file. A command that had already ended by itself is not called killed.
* Anything else on it, or SIGTERM, means abort: everything is ended within a second.
* A command starts only if the server is still there when the job file names its supervisor. So
  no later server, which looks at the job file first, can overlook a command.
* The command is over when its own process has ended, not when the last holder of its output has
  closed it. What it leaves in the background lives on, with its output thrown away, until the
  server is gone.

On Linux it is a subreaper: descendants whose parents died become its children, whatever session
they moved to, so that none can escape and "no child left" means that nothing is left at all.
Elsewhere only the process group and the visible tree are ended.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections.abc import Mapping, Sequence

from perdure.tools.capture import Capture
from perdure.tools.command_process import become_command
from perdure.tools.own_files import write_own
from perdure.tools.process_table import (
    become_subreaper,
    descendants,
    kill_group,
    send,
    start_time,
)

LIFE_LINE = 0
REPORTS = 1
_DRAIN_SECONDS = 0.1
_TERMINATE_SECONDS = 0.25
_KILL_SECONDS = 5.0
_LONGEST_WAIT_SECONDS = 3_600.0
_CHUNK = 65_536


def main() -> None:
    """Supervise the command that the life line names; does not return."""
    become_subreaper()
    line, following = _first_line()
    supervisor = _Supervisor(**json.loads(line), is_aborted=bool(following))
    try:
        supervisor.run()
    finally:
        supervisor.end_everything()
    os._exit(0)


def write_job(path: str, job: dict[str, object]) -> None:
    """Create or replace a job file, atomically."""
    write_own(path, json.dumps(job).encode())


class _Supervisor:
    """One command, from its start to the end of its last descendant."""

    def __init__(
        self,
        *,
        record: str,
        job: dict[str, object],
        shell: Sequence[str],
        environment: Mapping[str, str],
        is_aborted: bool,
    ) -> None:
        self._job = job
        self._path = record
        self._shell = shell
        self._environment = environment
        self._keep = self._job["keepRunning"] is True
        self._deadline = time.monotonic() + float(str(self._job["timeoutSeconds"]))
        self._server_is_there = True
        self._terminated = is_aborted
        self._command = 0
        self._exit_code: int | None = None
        self._died_of_signal = False
        self._no_children = True
        stem = record.removesuffix(".json")
        self._capture = Capture([f"{stem}.out", f"{stem}.err"])
        self._signals = _signal_pipe()

    def run(self) -> None:
        """Run the command, report, and look after what it leaves behind."""
        self._update(state="running", supervisor=_identity(os.getpid()))
        self._wait(time.monotonic())
        if self._terminated or not self._server_is_there:
            self._report("aborted", timed_out=False)
            return
        self._start()
        timed_out = False
        while self._exit_code is None and not self._must_end and not timed_out:
            self._wait(self._deadline)
            timed_out = self._exit_code is None and time.monotonic() >= self._deadline
        self._reap()
        was_killed = self._must_end and (self._exit_code is None or self._died_of_signal)
        if was_killed or timed_out:
            self.end_everything()
        self._drain()
        self._report("aborted" if was_killed else "exited", timed_out=timed_out)
        while self._server_is_there and not self._no_children and not self._terminated:
            self._wait(None)

    def end_everything(self) -> None:
        """Ask politely while the server is there to see it, then kill until nothing is left."""
        if self._no_children:
            return
        if self._server_is_there:
            self._send_all(signal.SIGTERM)
            self._reap_until(time.monotonic() + _TERMINATE_SECONDS)
        deadline = time.monotonic() + _KILL_SECONDS
        while not self._no_children and time.monotonic() < deadline:
            if self._exit_code is None:
                kill_group(self._command)
            self._send_all(signal.SIGKILL)
            self._reap_until(time.monotonic() + 0.01)

    @property
    def _must_end(self) -> bool:
        return self._terminated or not (self._server_is_there or self._keep)

    def _start(self) -> None:
        self._no_children = False
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])  # it could get lost in the child
        supervisor = os.getpid()
        self._command = os.fork()
        if self._command == 0:
            words = [*self._shell, "-c", str(self._job["command"])]
            ends = self._capture.child_ends
            become_command(words, self._environment, ends, supervisor=supervisor)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
        for descriptor in self._capture.child_ends:
            os.close(descriptor)
        self._update(process=_identity(self._command))

    def _update(self, **fields: object) -> None:
        self._job |= fields
        write_job(self._path, self._job)

    def _wait(self, deadline: float | None) -> None:
        """Wait until something happens or time is up, and take note of it."""
        ends = [self._signals, *self._capture.open_ends]
        if self._server_is_there:
            ends.append(LIFE_LINE)
        until = _LONGEST_WAIT_SECONDS if deadline is None else deadline - time.monotonic()
        ready, _, _ = select.select(ends, [], [], max(0.0, min(until, _LONGEST_WAIT_SECONDS)))
        for descriptor in ready:
            if descriptor == self._signals:
                self._terminated |= signal.SIGTERM in os.read(self._signals, 512)
                self._reap()
            elif descriptor == LIFE_LINE:
                self._server_is_there = bool(os.read(LIFE_LINE, 512))
                self._terminated |= self._server_is_there
            else:
                self._capture.take(descriptor)

    def _reap(self) -> None:
        """Collect every child that has ended."""
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0] != 0:
                if ended[0] == self._command:
                    code = os.waitstatus_to_exitcode(ended[1])
                    self._exit_code = code if code >= 0 else 128 - code
                    self._died_of_signal = code < 0
        except ChildProcessError:
            self._no_children = True

    def _reap_until(self, deadline: float) -> None:
        while not self._no_children and time.monotonic() < deadline:
            self._wait(min(deadline, time.monotonic() + 0.01))
            self._reap()

    def _drain(self) -> None:
        """Take what the command has written; wait no longer than a moment for others."""
        self._capture.take_what_is_there()
        deadline = time.monotonic() + _DRAIN_SECONDS
        while self._capture.open_ends and time.monotonic() < deadline:
            self._wait(deadline)
        self._capture.discard_from_now_on()

    def _report(self, state: str, *, timed_out: bool) -> None:
        """Put the outcome on disk, then tell the server if it is still there.

        Where no process is left, the job has no supervisor any more: this one is about to end.
        """
        if self._no_children:
            self._job["supervisor"] = None
        self._update(
            state=state,
            exitCode=self._exit_code,
            timedOut=timed_out,
            capped=self._capture.capped,
        )
        try:
            os.write(REPORTS, b".")
        except BrokenPipeError:
            self._server_is_there = False
        if self._no_children:
            os.close(REPORTS)

    def _send_all(self, number: int) -> None:
        send(descendants(os.getpid()), number)


def _first_line() -> tuple[bytes, bytes]:
    """Read the first line of the life line; return it and what came after it.

    A server that is gone before has said nothing: this process ends then.
    """
    data = b""
    while b"\n" not in data:
        piece = os.read(LIFE_LINE, _CHUNK)
        if not piece:
            os._exit(0)
        data += piece
    line, _, following = data.partition(b"\n")
    return line, following


def _signal_pipe() -> int:
    """Return a descriptor on which the numbers of arriving signals can be read."""
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, _only_wake_up)
    return read_end


def _only_wake_up(number: int, frame: object) -> None:
    """Do nothing: that a handler exists makes Python write the number to the pipe."""


def _identity(pid: int) -> dict[str, object]:
    return {"pid": pid, "startTime": start_time(pid)}
