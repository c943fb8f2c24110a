"""The terminal as the agent's host."""

from __future__ import annotations

import asyncio
import difflib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import cast

from perdure.agent.host import Level, WithoutEditor
from perdure.cli.console import Console
from perdure.cli.run_view import View
from perdure.cli.terminal import Terminal
from perdure.core.facts import Fact
from perdure.protocol.approvals import ApproveParams, ApproveResult, Decision
from perdure.protocol.progress import CommittedParams, DeltaParams
from perdure.protocol.status import Status

_CHOICES = {
    "y": "yes",
    "n": "no",
    "a": "always in this session",
    "w": "always in this workspace",
}
_DECISIONS: Mapping[str | None, Decision] = {
    "y": "allow",
    "a": "allowForSession",
    "w": "allowForWorkspace",
}
_DIFF_NAMES = 2
"""Lines at the head of a diff that name the files; the question does that."""


class TerminalHost(WithoutEditor):
    """Implements ``perdure.agent.host.Host``; ``terminal`` is None where nobody can be asked.

    ``outcomes`` holds how each operation ended, by its id. ``verbose`` shows the log too.
    """

    def __init__(
        self, *, console: Console, view: View, terminal: Terminal | None, verbose: bool
    ) -> None:
        self.outcomes: dict[str, str] = {}
        self._verbose = verbose
        self._console = console
        self._view = view
        self._terminal = terminal
        self._changed = asyncio.Event()

    async def next_change(self) -> None:
        """Wait until the status changes."""
        await self._changed.wait()

    def status_changed(self, status: Status) -> None:
        """Show it, and wake whoever waits."""
        self._view.status(status)
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def delta(self, params: DeltaParams) -> None:
        """Show provisional output."""
        self._view.delta(params)

    def committed(self, params: CommittedParams) -> None:
        """Show facts and remember outcomes."""
        for fact in cast("list[Fact]", params["facts"]):
            if fact["kind"] == "record" and fact["record"]["type"] == "operationFinished":
                record = fact["record"]
                self.outcomes[record["operationId"]] = record["outcome"]
        self._view.committed(params)

    @property
    def is_unattended(self) -> bool:
        """Whether there is no terminal to ask on."""
        return self._terminal is None

    async def ask_approval(self, params: ApproveParams) -> ApproveResult | None:
        """Ask on the terminal; without one, and at the end of the input, the answer is no."""
        if self._terminal is None:
            return {"decision": "deny", "message": "There is no terminal to ask on."}
        for line in _question(params):
            self._console.err(line)
        choice = await self._terminal.choose("May it run?", _CHOICES)
        return {"decision": _DECISIONS.get(choice, "deny")}

    async def ask(self, message: str, actions: Sequence[str]) -> str | None:
        """Show the message; what to do with unfinished work is asked when the state is known."""
        self._view.message("info", message)
        return None

    def tell(self, level: Level, message: str) -> None:
        """Show the message."""
        self._view.message(level, message)

    def log(self, message: str) -> None:
        """Show the line, if it is wanted: a command keeps no log."""
        if self._verbose:
            self._console.err(message)

    def progress_begin(self, operation_id: str, title: str, cancel: Callable[[], None]) -> None:
        """Show nothing: the facts are shown, and Ctrl-C cancels."""

    def progress_report(self, operation_id: str, message: str) -> None:
        """Show nothing."""

    def progress_end(self, operation_id: str) -> None:
        """Show nothing."""


def _question(params: ApproveParams) -> Iterator[str]:
    """Yield what the user must see: a command or arguments in full, or what changes in a file."""
    yield f"? {params['title']}"
    if "reason" in params:
        yield f"  {params['reason']}"
    match params.get("preview"):
        case {"command": str(command)}:
            yield from (f"    {line}" for line in command.split("\n"))
        case {"before": str(before), "after": str(after)}:
            changes = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=2)
            yield from (f"    {line}" for line in islice(changes, _DIFF_NAMES, None))
        case _:
            arguments = json.dumps(params["arguments"], ensure_ascii=False, indent=1)
            yield from (f"    {line}" for line in arguments.split("\n"))
