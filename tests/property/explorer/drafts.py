"""What commands commit: the agent's own drafts under ids that depend on the log alone."""

from __future__ import annotations

from tests.property.explorer.logs import identifier

from perdure.agent import records
from perdure.agent.records import Drafts
from perdure.core.compaction import plan_compaction
from perdure.core.context import open_calls
from perdure.core.entries import UserEntry
from perdure.core.facts import Draft, EntryDraft
from perdure.core.state import Idle, SessionState


def prompt(state: SessionState) -> Drafts:
    """Return the acceptance of a prompt."""
    entry_id, operation_id = identifier(state.next_seq, 1), identifier(state.next_seq, 2)
    return records.accept_run("Build it.", entry_id=entry_id, operation_id=operation_id)


def compaction(state: SessionState) -> Drafts | None:
    """Return the acceptance of a compaction, None when there is nothing to compact."""
    plan = plan_compaction(state)
    if plan is None:
        return None
    operation_id, result_id = identifier(state.next_seq, 1), identifier(state.next_seq, 2)
    return records.accept_compaction(plan, operation_id=operation_id, result_id=result_id)


def abort(state: SessionState) -> Drafts:
    """Return what ``Session.abort`` records."""
    if isinstance(state.operation, Idle):
        raise ValueError("an abort of an idle session records nothing")
    calls = open_calls(state)
    return records.abort_requested(state.operation, calls[0].call["id"] if calls else None)


def user_entry() -> Drafts:
    """Return a user entry without a run, which the format allows and Perdure never writes."""
    entry: UserEntry = {"type": "message", "message": {"role": "user", "content": "And quickly."}}
    return [EntryDraft(kind="entry", entry=entry)]


def without_terminal(drafts: Drafts) -> Drafts:
    """Return the drafts before ``operationFinished``; empty when there is none or nothing else."""
    return drafts[:-1] if _is_terminal(drafts[-1]) else ()


def _is_terminal(draft: Draft) -> bool:
    return draft["kind"] == "record" and draft["record"]["type"] == "operationFinished"
