"""Forking: a new session with the past of another one, whole or up to before a user turn.

The lines are copied byte for byte under a header of their own. Ids are unique within one session,
and the header's is not among them, so what was legal there is legal here, if nothing was
unfinished. ``S.origin.json`` beside the new session says where it comes from.
"""

from __future__ import annotations

from pathlib import Path

import orjson

from perdure.core.codec import MalformedJson, encode_line, parse_line
from perdure.core.facts import Header
from perdure.core.framing import FrameFault, Line, lines
from perdure.core.ids import is_uuid7
from perdure.core.reducer.outcome import Corrupt
from perdure.core.reducer.session import load_ledger
from perdure.core.state import Idle
from perdure.errors import SessionNotFound, StoreError
from perdure.json_types import JsonValue
from perdure.store._log import storage_error
from perdure.store._replace import replace_file
from perdure.store.follow import inspect
from perdure.store.options import StoreOptions
from perdure.store.places import session_file_name
from perdure.store.repair import corruption_error
from perdure.store.verdict import Damaged


def origin_path(session: Path) -> Path:
    """Return ``S.origin.json``."""
    return session.with_suffix(".origin.json")


def fork_session(
    origin: Path, entry_id: str | None, *, header: Header, options: StoreOptions
) -> Path:
    """Write the session of ``header`` beside ``origin``, durably; return its file.

    Its past is what stands before the transaction with the user entry ``entry_id``, or the whole
    of the origin. Raises ``SessionNotFound`` for a session or a turn that is not there,
    ``StoreError`` ``invalid_params`` where an operation was unfinished, ``SessionCorrupt`` for a
    past that is not sound, ``StorageFull`` and ``StorageFailed``; then there is no new session.
    """
    data, verdict = inspect(origin)
    end = data.rfind(b"\n") + 1 if entry_id is None else _start_of_turn(data, entry_id)
    past = data[:end]
    if isinstance(verdict, Damaged) and verdict.offset < len(past):
        raise corruption_error(origin, data, verdict)
    _require_idle(past)
    first = past.index(b"\n") + 1
    path = origin.parent / session_file_name(header["id"], header["createdAt"])
    source = orjson.dumps(_source(origin, entry_id)) + b"\n"
    try:
        replace_file(options.files, origin_path(path), source, sync=True)
        replace_file(options.files, path, encode_line(header) + past[first:], sync=True)
    except OSError as error:
        raise storage_error(error, "The session could not be forked") from error
    return path


def _source(origin: Path, entry_id: str | None) -> dict[str, str]:
    if entry_id is None:
        return {"session": origin.name}
    return {"session": origin.name, "beforeEntryId": entry_id}


def _start_of_turn(data: bytes, entry_id: str) -> int:
    """Return the offset of the line with this user entry; lines behind it are not looked at."""
    missing = SessionNotFound(f"The session has no prompt {entry_id!r}.")
    if not is_uuid7(entry_id):
        raise missing
    try:
        for line in lines(data):
            if line.number > 1 and entry_id.encode() in line.content and _holds(line, entry_id):
                return line.offset
    except (FrameFault, MalformedJson) as fault:
        raise missing from fault
    raise missing


def _holds(line: Line, entry_id: str) -> bool:
    value = parse_line(line.content)
    facts = value if isinstance(value, list) else [value]
    return any(_is_prompt(fact, entry_id) for fact in facts)


def _is_prompt(fact: JsonValue, entry_id: str) -> bool:
    match fact:
        case {"id": str(fact_id), "entry": {"message": {"role": "user"}}}:
            return fact_id == entry_id
        case _:
            return False


def _require_idle(past: bytes) -> None:
    ledger = load_ledger(past)
    if isinstance(ledger, Corrupt) or not isinstance(ledger.state.operation, Idle):
        raise StoreError(
            "An operation was unfinished when this prompt was sent; fork from another one.",
            code="invalid_params",
        )
