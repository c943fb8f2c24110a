"""Going on after a run that failed: a new run in the same session, because the user says so.

Failed requests are never sent again by themselves. The run that continues is like any other: its
prompt is a fixed text that the user sees in the session, and what calls did before stays as the
log has it, so no effect is repeated.
"""

from __future__ import annotations

from perdure.agent import records
from perdure.agent.compacting import Compacting
from perdure.agent.parts import Parts
from perdure.agent.session import Session
from perdure.errors import CommandError
from perdure.protocol.operations import CompactResult, SessionArguments
from perdure.protocol.prompts import PromptResult

PROMPT = "Continue."
NOTHING_TO_COMPACT = (
    "There is nothing to compact: the last messages, which are always kept, are all there is. "
    "Start a new session, or choose a model with a larger context window."
)


class Continuing:
    """Serves one folder.

    That a compaction is to be followed by a run is kept in memory only: after a crash the user
    is offered to continue, and nothing starts that was not asked for in this process.
    """

    def __init__(self, parts: Parts, compacting: Compacting) -> None:
        self._commands = parts.commands
        self._desk = parts.desk
        self._access = parts.access
        self._host = parts.host
        self._new_id = parts.options.new_id
        self._compacting = compacting
        self._after: str | None = None

    async def start(self, arguments: SessionArguments) -> PromptResult:
        """Start a run after the failed one; returns once it is durable.

        Raises ``CommandError`` ``not_found`` when the last run has not failed.
        """
        async with self._commands:
            return await self._accept(await self._failed_session(arguments))

    async def compact_first(self, arguments: SessionArguments) -> CompactResult:
        """Start a compaction that such a run will follow. Raises like ``start``.

        Where there is nothing to compact the user is told: whoever pressed a button looks there.
        """
        async with self._commands:
            await self._failed_session(arguments)
            result = await self._compacting.start()
            self._after = result.get("operationId")
            if result["outcome"] == "nothing_to_compact":
                self._host.tell("warning", NOTHING_TO_COMPACT)
            return result

    async def go_on(self) -> None:
        """Start the run that a compaction of this process was for, if it has completed.

        Callers hold the command lock.
        """
        session, after = self._desk.session, self._after
        finished = session.finished if session else None
        if session is None or finished is None or finished.operation_id != after:
            return
        self._after = None
        if (
            finished.outcome == "completed"
            and session.last_run.failed
            and not self._desk.unfinished
        ):
            await self._accept(session)

    async def _failed_session(self, arguments: SessionArguments) -> Session:
        await self._access.make_writable(go_on=True)
        await self._access.open(arguments.get("sessionId"))
        self._access.require_finished()
        session = self._desk.session
        if session is None or session.last_run.failed is None or self._access.is_elsewhere:
            raise CommandError("There is no failed run here to continue.", code="not_found")
        return session

    async def _accept(self, session: Session) -> PromptResult:
        configuration = await self._desk.configure()
        operation_id = self._new_id()
        drafts = records.accept_run(PROMPT, entry_id=self._new_id(), operation_id=operation_id)
        await session.accept(drafts)
        self._desk.go(configuration)
        return {"sessionId": session.state.header.id, "operationId": operation_id}
