"""The board: what the folder shows. Plan and problem, published as one status with every change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from perdure.agent import failure, problems, status
from perdure.agent.approvals import Approvals
from perdure.agent.configuration import Configuration
from perdure.agent.folder import Folder
from perdure.agent.host import Host
from perdure.core.last_run import FailedRun
from perdure.core.plans import Blocked, RecoveryPlan
from perdure.core.state import SessionState, ToolIntent
from perdure.errors import PerdureError
from perdure.protocol.status import McpServerInfo, ModelInfo, Status
from perdure.protocol.trouble import BlockedInfo, FailedInfo, InterruptedFile
from perdure.store.queue_file import QueuedPrompt


@dataclass(frozen=True, slots=True)
class View:
    """What lies on the desk, for the status. ``context_tokens`` is None when unknown.

    ``failed`` is the last run, if it failed.
    ``data`` is the own folder of a session that is open for writing.
    """

    state: SessionState | None
    running: bool
    failed: FailedRun | None
    context_tokens: int | None
    fallback_model: ModelInfo
    queue: Sequence[QueuedPrompt]
    data: Path | None
    mcp: Sequence[McpServerInfo]


class Board:
    """Publishes the status of one folder. ``view`` says what lies on the desk now."""

    def __init__(self, *, folder: Folder, host: Host, view: Callable[[], View]) -> None:
        self.approvals = Approvals(host, self.publish)
        self.configuration: Configuration | None = None
        self._folder = folder
        self._host = host
        self._view = view
        self._plan: RecoveryPlan | None = None
        self._problem: BlockedInfo | None = None
        self._unavailable = False
        self._interrupted_file: InterruptedFile | None = None
        self._attached: ToolIntent | None = None
        self._in_progress: str | None = None
        self._published: Status | None = None
        self._changed = asyncio.Event()

    def clear(self) -> None:
        """Forget plan and problem."""
        self._plan = None
        self._problem = None
        self._interrupted_file = None
        self._unavailable = False

    def show_plan(self, plan: RecoveryPlan) -> None:
        """Show what happens next; a blocked plan is explained."""
        self._plan = plan
        view = self._view()
        state = view.state
        if isinstance(plan, Blocked) and state is not None and self.configuration is not None:
            self._problem = problems.blocked_info(
                plan, state, self.configuration, folder=self._folder.uri, data=view.data
            )
        self.publish()

    def show_attached(self, intent: ToolIntent | None) -> None:
        """Show that a call which an earlier server started is waited for; None: no longer."""
        self._attached = intent
        self.publish()

    def show_interrupted(self, file: InterruptedFile | None) -> None:
        """Show what is known of the file that a call was writing, until the work goes on."""
        self._interrupted_file = file
        self.publish()

    def show_unavailable(self, error: PerdureError) -> None:
        """Show a condition of the shell that keeps the work from going on."""
        self._problem = problems.unavailable_info(error, self._folder.uri)
        self._unavailable = True
        self.publish()

    def begin_progress(self, operation_id: str, title: str, cancel: Callable[[], None]) -> None:
        """Show that an operation works."""
        self._in_progress = operation_id
        self._host.progress_begin(operation_id, title, cancel)

    def end_progress(self) -> None:
        """Take the progress away."""
        if self._in_progress is not None:
            self._host.progress_end(self._in_progress)
            self._in_progress = None

    def status(self) -> Status:
        """Return the folder's status now."""
        view = self._view()
        provider = self.configuration.provider if self.configuration else None
        return status.build(
            status.Situation(
                workspace_folder=self._folder.uri,
                environment_identity=self._folder.environment_identity,
                session=view.state,
                running=view.running,
                plan=self._plan,
                attached=self._attached,
                problem=self._problem,
                unavailable=self._unavailable,
                approval=self.approvals.pending,
                failed=self._failed(view.failed),
                context_tokens=view.context_tokens,
                context_window=provider.context_window if provider else None,
                prices=provider.prices if provider else None,
                model=_model(self.configuration) or view.fallback_model,
                queue=view.queue,
                interrupted_file=self._interrupted_file,
                mcp=view.mcp,
            )
        )

    def publish(self) -> None:
        """Tell the host and all waiters, if anything is different."""
        now = self.status()
        if now == self._published:
            return
        before, self._published = self._published, now
        self._host.status_changed(now)
        self._report_progress(before, now)
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def next_change(self) -> None:
        """Wait until the status is published again."""
        await self._changed.wait()

    def _report_progress(self, before: Status | None, now: Status) -> None:
        """Show what the operation does now, where that is something else than before."""
        operation = now["operation"]
        if operation is not None and (before is None or before["operation"] != operation):
            self._host.progress_report(operation["operationId"], operation["label"])

    def _failed(self, failed: FailedRun | None) -> FailedInfo | None:
        return None if failed is None else failure.failed_info(failed, self._folder.uri)


def _model(configuration: Configuration | None) -> ModelInfo | None:
    if configuration is None:
        return None
    identity = configuration.provider.identity
    return {"provider": identity.provider, "name": identity.model}
