"""The outside of an agent, for tests without an editor: it records what it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal

from perdure.agent.host import WithoutEditor
from perdure.protocol.approvals import ApproveParams, ApproveResult, Decision
from perdure.protocol.progress import CommittedParams, DeltaParams
from perdure.protocol.status import Status


class RecordingHost(WithoutEditor):
    """A host that answers every approval with ``approve`` and every question with ``choose``."""

    def __init__(self, *, approve: Decision | None = None, choose: str | None = None) -> None:
        self.statuses: list[Status] = []
        self.deltas: list[DeltaParams] = []
        self.facts: list[object] = []
        self.told: list[str] = []
        self.questions: list[str] = []
        self.approvals: list[ApproveParams] = []
        self.asked = asyncio.Event()
        self._approve = approve
        self._choose = choose

    def status_changed(self, status: Status) -> None:
        """Record a status."""
        self.statuses.append(status)

    def delta(self, params: DeltaParams) -> None:
        """Record a delta."""
        self.deltas.append(params)

    def committed(self, params: CommittedParams) -> None:
        """Record facts."""
        self.facts.extend(params["facts"])

    async def ask_approval(self, params: ApproveParams) -> ApproveResult | None:
        """Answer as told at the beginning."""
        self.approvals.append(params)
        self.asked.set()
        return None if self._approve is None else {"decision": self._approve}

    async def ask(self, message: str, actions: Sequence[str]) -> str | None:
        """Choose as told at the beginning."""
        self.questions.append(message)
        return self._choose

    def tell(self, level: Literal["info", "warning", "error"], message: str) -> None:
        """Record a message."""
        self.told.append(f"{level}: {message}")

    def log(self, message: str) -> None:
        """Record a log line."""
        self.told.append(f"log: {message}")

    def progress_begin(self, operation_id: str, title: str, cancel: Callable[[], None]) -> None:
        """Progress is not recorded."""

    def progress_report(self, operation_id: str, message: str) -> None:
        """Progress is not recorded."""

    def progress_end(self, operation_id: str) -> None:
        """Progress is not recorded."""
