"""The ``perdure session`` commands on files: reduce, plan, verify, salvage, export."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from perdure.cli import output
from perdure.cli.exit_codes import FAILED, OK, USAGE
from perdure.core.codec import MalformedJson, parse_line
from perdure.core.plan_shape import current_from_json, plan_to_json
from perdure.core.plans import CurrentConfiguration
from perdure.core.recovery import plan_recovery
from perdure.core.reducer import Corrupt, Reduced, reduce_session
from perdure.core.shape import result_json
from perdure.core.state import SessionState
from perdure.errors import CommandError, PerdureError, SessionNotFound, StorageFailed
from perdure.json_types import JsonObject
from perdure.store.follow import inspect
from perdure.store.verdict import Damaged, Sound, Torn


def reduce(files: Iterable[Path]) -> int:
    """Print what each file reduces to, one line of JSON each (session-format section 11)."""
    return _print_each(files, result_json)


def plan(files: Iterable[Path], *, configuration: Path) -> int:
    """Print the plan of each file under ``configuration`` (sections 14.1 and 14.2)."""
    try:
        current = _read_configuration(configuration)
    except PerdureError as error:
        print(f"perdure session plan: {error}", file=sys.stderr)
        return USAGE

    def planned(result: Reduced | Corrupt) -> JsonObject:
        match result:
            case Reduced(state):
                return plan_to_json(plan_recovery(state, current))
            case Corrupt():
                return result_json(result)

    return _print_each(files, planned)


def verify(files: Iterable[str], locate: Callable[[str], Path]) -> int:
    """Say of each file whether it is a session, else which line and byte is the first bad one.

    A file with a sidecar must also be what its seals say. ``locate`` gives the path of a name.
    """
    code = OK
    for file in files:
        try:
            data, verdict = inspect(locate(file))
        except PerdureError as error:
            print(f"{file}: {error}")
            code = FAILED
            continue
        match verdict:
            case Sound() | Torn():
                print(f"{file}: {_words(data, verdict.ledger.state)}")
            case Damaged():
                print(f"{file}: {verdict}")
                code = FAILED
    return code


def salvage(file: Path) -> int:
    """Copy the valid lines at the start of a damaged session to a new one; a sound one stays alone.

    Raises ``StoreError``.
    """
    if isinstance(inspect(file)[1], Sound):
        print(f"{file}: the session is sound; there is nothing to salvage.")
        return OK
    from perdure.agent.opaque import copy_opaque_data
    from perdure.store.options import system_options
    from perdure.store.salvage import salvage as copy_valid_lines

    saved = copy_valid_lines(file, system_options())
    copy_opaque_data(file, saved.path)
    print(f"{saved.path}: {saved.facts} facts; {saved.left_behind} bytes were left behind.")
    return OK


def export(file: Path, shown: Callable[[str], str]) -> int:
    """Print the transcript as Markdown; of each result what is ``shown`` of it.

    Raises ``PerdureError`` when the file breaks the format or is not what its seals say.
    """
    from perdure.agent.session_facts import session_facts
    from perdure.agent.transcript import transcript_of
    from perdure.store.repair import corruption_error

    data, verdict = inspect(file)
    if isinstance(verdict, Damaged):
        raise corruption_error(file, data, verdict)
    state = verdict.ledger.state
    facts = session_facts(data[: state.repaired_length])
    output.write(transcript_of(state.header, facts, shown=shown).text)
    return OK


def read(file: Path) -> bytes:
    """Return the bytes. Raises ``SessionNotFound`` and ``StorageFailed``."""
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        raise SessionNotFound(f"There is no file {file}.") from error
    except OSError as error:
        raise StorageFailed(f"{file} cannot be read: {error.strerror}.") from error


def _words(data: bytes, state: SessionState) -> str:
    """Count the facts, and the bytes of a torn tail, which the next writer cuts off."""
    torn = len(data) - state.repaired_length
    tail = f"; a torn tail of {torn} bytes is not part of it" if torn else ""
    return f"ok, {state.next_seq - 1} facts, {state.operation.kind}{tail}"


def _print_each(files: Iterable[Path], shape: Callable[[Reduced | Corrupt], JsonObject]) -> int:
    """Print one line per file in the order given, also for a file that cannot be read."""
    code = OK
    for file in files:
        try:
            result = reduce_session(read(file))
            line = shape(result)
            ok = isinstance(result, Reduced)
        except PerdureError as error:
            print(f"perdure session: {error}", file=sys.stderr)
            line = {"ok": False, "error": {"code": error.code}}
            ok = False
        output.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        code = code if ok else FAILED
    return code


def _read_configuration(file: Path) -> CurrentConfiguration:
    """Raise ``PerdureError`` that names the path of what is wrong."""
    try:
        return current_from_json(parse_line(read(file)))
    except MalformedJson as error:
        raise CommandError(f"{file}: {error}") from error
