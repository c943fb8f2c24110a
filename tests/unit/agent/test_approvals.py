"""Pending approvals: answered by the host or by command, at most once."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.recording_host import RecordingHost

from perdure.agent.approvals import Approvals
from perdure.errors import CommandError
from perdure.protocol.approvals import ApproveParams

PARAMS: ApproveParams = {
    "approvalId": "entry:0",
    "sessionId": "session",
    "toolCallId": "call_1",
    "toolName": "bash",
    "arguments": {"command": "ls"},
    "title": "bash: ls",
}


async def asked(approvals: Approvals) -> asyncio.Task[object]:
    """Ask, and return once the question is open."""
    task: asyncio.Task[object] = asyncio.create_task(approvals.ask(PARAMS))
    await asyncio.sleep(0)
    assert approvals.pending == PARAMS
    return task


@pytest.mark.asyncio
async def test_the_host_decides() -> None:
    approvals = Approvals(RecordingHost(approve="allow"), lambda: None)
    assert await approvals.ask(PARAMS) == {"decision": "allow"}
    assert approvals.pending is None


@pytest.mark.asyncio
@pytest.mark.hazard('A null answer to an approval means "not decided"')
async def test_a_null_answer_leaves_the_question_open() -> None:
    host = RecordingHost(approve=None)
    approvals = Approvals(host, lambda: None)
    task = await asked(approvals)
    await host.asked.wait()
    await asyncio.sleep(0)
    assert approvals.pending == PARAMS
    approvals.answer("entry:0", {"decision": "deny", "message": "no"})
    assert await task == {"decision": "deny", "message": "no"}


@pytest.mark.asyncio
@pytest.mark.hazard("Approve after abort: no longer pending")
async def test_a_question_that_was_dropped_is_no_longer_pending() -> None:
    approvals = Approvals(RecordingHost(approve=None), lambda: None)
    task = await asked(approvals)
    task.cancel()
    await asyncio.wait({task})
    with pytest.raises(CommandError, match="no longer pending") as refused:
        approvals.answer("entry:0", {"decision": "allow"})
    assert refused.value.code == "not_pending"


@pytest.mark.asyncio
async def test_an_answer_to_another_question_is_refused() -> None:
    approvals = Approvals(RecordingHost(approve=None), lambda: None)
    task = await asked(approvals)
    with pytest.raises(CommandError):
        approvals.answer("entry:1", {"decision": "allow"})
    task.cancel()
