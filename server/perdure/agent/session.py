"""One open session: its store, and at most one loop that drives it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from perdure.agent import records
from perdure.agent.configuration import Configuration
from perdure.agent.effects import Effects
from perdure.agent.kept_configurations import keep
from perdure.agent.loop import Loop
from perdure.core.context import open_calls
from perdure.core.facts import Fact
from perdure.core.last_run import LastRun, last_run_after
from perdure.core.plans import Blocked
from perdure.core.records import OperationKind
from perdure.core.state import Idle, Run, SessionState
from perdure.errors import RejectedTransaction, StoreError
from perdure.store.jsonl import SessionStore
from perdure.store.places import data_path
from perdure.tools import jobs

Outcome: TypeAlias = Literal["completed", "aborted", "failed", "idle"]


@dataclass(frozen=True, slots=True)
class Finished:
    """The last operation that this process saw end."""

    operation_id: str
    kind: OperationKind
    outcome: Outcome


class Session:
    """Drives a session. ``make_loop`` builds a loop around the effects it is given.

    ``last_run`` is how the last one ended, also before this process opened the session.
    ``ended`` is called when the loop stops, with the blocked plan, the error, or None.
    """

    def __init__(
        self,
        *,
        store: SessionStore,
        last_run: LastRun,
        make_loop: Callable[[Configuration | None, Effects], Loop],
        ended: Callable[[Blocked | Exception | None], None],
    ) -> None:
        self.store = store
        self.finished: Finished | None = None
        self.last_run = last_run
        self._make_loop = make_loop
        self._ended = ended
        self._effects = Effects()
        self._task: asyncio.Task[None] | None = None
        store.subscribe(self._remember)

    @property
    def state(self) -> SessionState:
        """The last durable state."""
        return self.store.state

    @property
    def running(self) -> bool:
        """Whether a loop drives the session now."""
        return self._task is not None and not self._task.done()

    def go(self, configuration: Configuration | None) -> None:
        """Start the loop, if there is something to do and none is running."""
        if self.running or isinstance(self.state.operation, Idle):
            return
        self._effects = Effects()
        loop = self._make_loop(configuration, self._effects)
        self._task = asyncio.create_task(self._drive(loop, configuration))

    async def accept(self, drafts: records.Drafts) -> None:
        """Commit what no loop works on yet; a failure is shown like one that ends a loop.

        Raises ``StoreError``. Where the outcome is unknown, the store takes no more: only
        reopening tells whether it was accepted.
        """
        try:
            await self.store.commit(drafts)
        except StoreError as error:
            self._ended(error)
            raise

    async def abort(self) -> Outcome:
        """End the unfinished operation durably: record, signal, reconcile; in this order.

        Returns how the operation ended: an abort that comes after the settlement changes
        nothing. Raises ``StoreError``, having signalled nothing, when the abort cannot be
        recorded.
        """
        operation = self.state.operation
        if isinstance(operation, Idle):
            return "idle"
        if not operation.abort_requested:
            calls = open_calls(self.state)
            first = calls[0].call["id"] if calls else None
            await self._request_abort(records.abort_requested(operation, first))
        self._effects.stop()
        self.go(None)
        await self.loop_end()
        if self.finished and self.finished.operation_id == operation.operation_id:
            return self.finished.outcome
        return "idle"

    async def loop_end(self) -> None:
        """Wait until no loop runs; returns at once when none does."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def suspend(self) -> None:
        """Drop the running effect, commit nothing, close the file and release its lock.

        Commands that the setting ``runningCommands`` keeps go on under their supervisor.
        """
        if self._task is not None:
            self._leave_kept_commands()
            self._task.cancel()
            await asyncio.wait({self._task})
        await self.store.close()

    def _leave_kept_commands(self) -> None:
        operation = self.state.operation
        if isinstance(operation, Run):
            for started in operation.pending:
                jobs.leave_running(data_path(self.store.path), started)

    async def _request_abort(self, drafts: records.Drafts) -> None:
        commit = self.store.commit if self.running else self.accept
        try:
            await commit(drafts)
        except RejectedTransaction:
            operation = self.state.operation
            if not isinstance(operation, Idle) and not operation.abort_requested:
                raise

    async def _drive(self, loop: Loop, configuration: Configuration | None) -> None:
        """Keep what the attempts will only name by digest; then let the loop work."""
        try:
            if configuration is not None:
                await asyncio.to_thread(keep, data_path(self.store.path), configuration)
            ending: Blocked | Exception | None = await loop.run()
        except Exception as error:  # noqa: BLE001  whatever ended the loop is shown where the user looks
            ending = error
        self._task = None
        self._ended(ending)

    def _remember(self, facts: Sequence[Fact]) -> None:
        for fact in facts:
            self.last_run = last_run_after(self.last_run, fact)
            if fact["kind"] == "record" and fact["record"]["type"] == "operationFinished":
                record = fact["record"]
                self.finished = Finished(
                    record["operationId"], record["operationKind"], record["outcome"]
                )
