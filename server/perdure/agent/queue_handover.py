"""From the queue into the log: when the next prompt starts, and that it starts once.

Whether the queue goes on by itself is no state of its own: it follows from how the last run
ended. The prompt's id becomes the id of its user entry, so that opening after a crash between
the two writes knows what was accepted.
"""

from __future__ import annotations

from collections.abc import Callable

from perdure.agent import records
from perdure.agent.context.prompt_context import PromptContext
from perdure.agent.desk import Desk
from perdure.agent.host import Host
from perdure.agent.queue import PromptQueue
from perdure.agent.session import Session
from perdure.core.plans import RecoveryPlan
from perdure.core.recovery import plan_recovery
from perdure.errors import PerdureError, StoreError


class HandOver:
    """Starts the prompts that wait in the session on the desk. Callers hold the command lock.

    ``identity`` is the folder's; prompts of a session of another environment stay where they
    are. With ``enabled`` False nothing is ever started.
    """

    def __init__(
        self,
        *,
        desk: Desk,
        host: Host,
        context: PromptContext,
        identity: str,
        new_id: Callable[[], str],
        enabled: bool,
    ) -> None:
        self._desk = desk
        self._host = host
        self._context = context
        self._identity = identity
        self._new_id = new_id
        self._enabled = enabled

    @property
    def has_next(self) -> bool:
        """Whether a prompt waits that could start now."""
        return self._ready() is not None

    async def go_on(self) -> None:
        """Start the next prompt if the last run completed, and every operation since."""
        ready = self._ready()
        if ready is None:
            return
        session, _ = ready
        if session.last_run.completed:
            await self.try_start()

    async def try_start(self) -> None:
        """Start the next prompt; where that fails it goes on waiting, and the user is told why."""
        try:
            await self.start()
        except PerdureError as error:
            self._host.tell("warning", f"The next queued prompt could not be started: {error}")

    async def start(self) -> RecoveryPlan | None:
        """Accept the first prompt that waits and start its run.

        Returns the plan, None when nothing can be started. Raises ``CommandError``
        ``provider_not_configured`` and ``StoreError``; then the prompt still waits.
        """
        ready = self._ready()
        if ready is None:
            return None
        session, queue = ready
        configuration = await self._desk.configure()
        prompt = queue.items[0]
        shown = session.state.active_context
        content = await self._context.composed(prompt.text, prompt.attached, shown)
        drafts = records.accept_run(content, entry_id=prompt.id, operation_id=self._new_id())
        await session.accept(drafts)
        plan = plan_recovery(session.state, configuration.current)
        self._desk.go(configuration)
        try:
            await queue.handed_over(prompt.id)
        except StoreError as error:
            self._host.log(f"A prompt that was accepted is still in the queue's file: {error}")
        return plan

    def _ready(self) -> tuple[Session, PromptQueue] | None:
        session, queue = self._desk.session, self._desk.queue
        if not self._enabled or session is None or queue is None or not queue.items:
            return None
        elsewhere = session.state.header.environment_identity != self._identity
        return None if elsewhere or self._desk.unfinished else (session, queue)
