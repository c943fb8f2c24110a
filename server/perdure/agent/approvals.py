"""Pending approvals: questions that may be answered in several places and at any time.

A pending approval exists only while the loop waits for it. Nothing of it is durable: after a
crash the planner plans the same call again, and the same question is asked again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from perdure.agent.host import Host
from perdure.errors import CommandError
from perdure.protocol.approvals import ApproveParams, ApproveResult


@dataclass(frozen=True, slots=True)
class Pending:
    """A question that waits for an answer."""

    params: ApproveParams
    answer: asyncio.Future[ApproveResult]


class Approvals:
    """The pending approval of one session; at most one, because calls run one by one."""

    def __init__(self, host: Host, changed: Callable[[], None]) -> None:
        self._host = host
        self._changed = changed
        self._pending: Pending | None = None

    @property
    def pending(self) -> ApproveParams | None:
        """The question that is open now."""
        return self._pending.params if self._pending else None

    async def ask(self, params: ApproveParams) -> ApproveResult:
        """Ask the host and wait for an answer from wherever it comes.

        A null answer of the host means *not decided*: the question stays open.
        """
        answer: asyncio.Future[ApproveResult] = asyncio.get_running_loop().create_future()
        self._pending = Pending(params, answer)
        self._changed()
        asking = asyncio.create_task(self._ask_host(params, answer))
        try:
            return await answer
        finally:
            asking.cancel()
            self._pending = None
            self._changed()

    def answer(self, approval_id: str, result: ApproveResult) -> None:
        """Answer the open question. Raises ``CommandError`` ``not_pending``."""
        pending = self._pending
        if pending is None or pending.params["approvalId"] != approval_id or pending.answer.done():
            raise CommandError(f"Approval {approval_id} is no longer pending.", code="not_pending")
        pending.answer.set_result(result)

    async def _ask_host(self, params: ApproveParams, answer: asyncio.Future[ApproveResult]) -> None:
        result = await self._host.ask_approval(params)
        if result is not None and not answer.done():
            answer.set_result(result)
