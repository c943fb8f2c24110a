"""``perdure session list`` and ``show``: the sessions of a folder, in words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from perdure.agent.settings import Settings
from perdure.cli.exit_codes import FAILED, OK
from perdure.core.context import open_calls
from perdure.core.ids import is_uuid7
from perdure.core.state import Compaction, Idle, Operation, Run, SessionState
from perdure.errors import SessionNotFound, StoreError
from perdure.store.catalog import Catalog
from perdure.store.follow import read_session
from perdure.store.places import canonical_path, locate_workspace, session_id_in, state_directory
from perdure.store.verdict import Damaged

_BEGINNING = re.compile(r"[0-9a-f-]{8,36}")


def print_list(folder: Path, settings: Settings) -> int:
    """Print one line per session of ``folder``, last written first."""
    catalog = _catalog(folder, settings)
    summaries = catalog.list()
    if not summaries:
        print(f"There is no session of {canonical_path(folder)} yet.")
        return OK
    for summary in summaries:
        state = _state(catalog, summary.path)
        print(f"{summary.id}  {_time(summary.updated_at)}  {state:<10}  {summary.title}".rstrip())
    return OK


def show(path: Path) -> int:
    """Print what a session is."""
    state = read_session(path)
    print(f"file         {path}")
    match state:
        case SessionState():
            for name, value in _rows(state):
                print(f"{name:<12} {value}")
            return OK
        case Damaged() as damaged:
            print(f"{'corrupt':<12} {damaged}; nothing was changed")
            return FAILED


def locate(session: str, folder: Path, settings: Settings) -> Path:
    """Return the file that is meant: a path, or a session of ``folder`` by its id.

    The first 8 characters of an id or more are enough where no other begins with them. Raises
    ``StoreError`` when there is no such session, or more than one.
    """
    path = Path(session)
    if path.exists() and not path.is_dir():
        return path
    found = _find(session, folder, settings)
    if found is None:
        raise _not_found(f"{session} is no file and", folder)
    return found


def complete_id(beginning: str, folder: Path, settings: Settings) -> str:
    """Return the id of the session of ``folder`` that ``locate`` would find; raises the same."""
    found = _find(beginning, folder, settings)
    session_id = None if found is None else session_id_in(found.name)
    if session_id is None:
        raise _not_found(f"{beginning} is", folder)
    return session_id


def _find(beginning: str, folder: Path, settings: Settings) -> Path | None:
    if not _BEGINNING.fullmatch(beginning):
        return None
    catalog = _catalog(folder, settings)
    try:
        return catalog.find(_complete(beginning, catalog))
    except SessionNotFound:
        return None


def _not_found(what: str, folder: Path) -> SessionNotFound:
    return SessionNotFound(
        f"Session not found: {what} no session of {canonical_path(folder)};"
        " `perdure session list` names those."
    )


def _complete(beginning: str, catalog: Catalog) -> str:
    """Return the id that begins so. Raises ``SessionNotFound``, ``StoreError`` for several."""
    if is_uuid7(beginning):
        return beginning
    found = sorted({each.id for each in catalog.list() if each.id.startswith(beginning)})
    match found:
        case []:
            raise SessionNotFound(f"Session not found: {beginning}.")
        case [session_id]:
            return session_id
        case _:
            sentence = f"{beginning} is the beginning of {len(found)} ids: {', '.join(found)}."
            raise StoreError(sentence, code="invalid_params")


def _catalog(folder: Path, settings: Settings) -> Catalog:
    state = state_directory(os.environ, sessions_dir=settings.sessions_dir)
    return Catalog(locate_workspace(folder, state=state).sessions)


def _state(catalog: Catalog, path: Path) -> str:
    """Say in one word how a listed session stands; it may vanish meanwhile."""
    try:
        state = catalog.reduce(path)
    except StoreError as error:
        return error.code
    match state:
        case SessionState(operation=Idle()):
            return "idle"
        case SessionState():
            return "unfinished"
        case Damaged():
            return "corrupt"


def _rows(state: SessionState) -> Iterator[tuple[str, str]]:
    header, usage = state.header, state.usage
    yield "session", header.id
    yield "created", _time(header.created_at)
    yield "last fact", _time(state.last_timestamp)
    yield "folder", header.cwd
    if header.environment_identity != header.cwd:
        yield "environment", header.environment_identity
    yield "model", f"{header.model} ({header.provider})"
    yield "messages", f"{len(state.transcript)}, {len(state.active_context)} in the active context"
    yield "tokens", f"{usage.input} in, {usage.output} out, {usage.cache_read} from cache"
    yield "operation", _operation(state.operation)
    for call in open_calls(state):
        words = "not started" if call.intent is None else "started, no result recorded"
        yield "open call", f"{call.call['function']['name']}: {words}"


def _operation(operation: Operation) -> str:
    match operation:
        case Idle():
            return "none is unfinished"
        case Run() | Compaction():
            words = f"unfinished {operation.kind} {operation.operation_id}"
            if operation.abort_requested:
                words += ", abort requested"
            if operation.step is not None:
                words += f", attempt {operation.step.attempt} {operation.step.status}"
            return words


def _time(timestamp: int) -> str:
    """Return ms since the epoch in local time; a time beyond every calendar as it stands."""
    try:
        moment = datetime.fromtimestamp(timestamp / 1000, tz=UTC).astimezone()
    except (ValueError, OverflowError, OSError):
        return f"{timestamp} ms"
    return f"{moment:%Y-%m-%d %H:%M:%S}"
