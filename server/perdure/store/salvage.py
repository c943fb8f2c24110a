"""``salvage``: what stands of a damaged log, copied to a new session.

The original is only read. The copy is a session of its own: another id, in the name and in the
header, everything else as it was. Facts keep their ids and their seq, so an unfinished operation
is unfinished in the copy too. What lies in ``S.d`` is not copied.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from perdure.core.codec import encode_line, parse_line
from perdure.json_types import JsonObject
from perdure.store._opening import create_log
from perdure.store.follow import inspect
from perdure.store.options import StoreOptions
from perdure.store.places import session_file_name
from perdure.store.repair import corruption_error
from perdure.store.verdict import Damaged


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The new session: ``facts`` of the original in it, ``left_behind`` bytes not."""

    path: Path
    session_id: str
    facts: int
    left_behind: int


def salvage(path: Path, options: StoreOptions) -> Salvaged:
    """Copy the valid lines at the start of ``path`` to a new session beside it, durably.

    Raises ``SessionNotFound``, ``SessionCorrupt`` or ``UnsupportedVersion`` when not even the
    header stands, and ``StorageFull`` or ``StorageFailed`` with no copy left.
    """
    data, verdict = inspect(path)
    if isinstance(verdict, Damaged):
        if verdict.offset == 0:
            raise corruption_error(path, data, verdict)
        length = verdict.offset
    else:
        length = verdict.ledger.state.repaired_length
    session_id = options.new_id()
    first = data.index(b"\n") + 1
    header = cast("JsonObject", parse_line(data[: first - 1])) | {"id": session_id}
    name = session_file_name(session_id, cast("int", header["createdAt"]))
    lines = encode_line(header) + data[first:length]
    opened = create_log(path.parent / name, lines, options)
    opened.log.close()
    return Salvaged(
        path=opened.path,
        session_id=session_id,
        facts=opened.ledger.state.next_seq - 1,
        left_behind=len(data) - length,
    )
