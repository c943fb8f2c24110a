"""``S.queue.json``: prompts that wait beside a session, until the log has accepted them.

::

    {"version": 1, "items": [{"id": "<UUIDv7>", "text": "...", "attached": ["..."]}]}

The file is replaced as a whole, so a crash leaves the old queue or the new one. An empty queue
has no file. One that cannot be read is set aside, never overwritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import orjson

from perdure.core.ids import is_uuid7
from perdure.json_types import JsonValue
from perdure.store._fs import read_regular
from perdure.store._log import storage_error
from perdure.store._replace import replace_file
from perdure.store.options import StoreOptions

VERSION = 1


@dataclass(frozen=True, slots=True)
class QueuedPrompt:
    """A prompt that waits; ``id`` becomes the id of its user entry.

    ``attached`` are blocks of context as they were when it was sent.
    """

    id: str
    text: str
    attached: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SetAside:
    """A queue that could not be read; its bytes are kept in ``evidence``."""

    evidence: Path


class QueueFile:
    """The queue of one session. All methods block; only the holder of its lock calls them."""

    def __init__(self, session: Path, options: StoreOptions) -> None:
        self._path = queue_path(session)
        self._options = options

    def read(self) -> tuple[QueuedPrompt, ...] | SetAside:
        """Return what waits, first in first; what cannot be understood is set aside.

        Raises ``StorageFull`` or ``StorageFailed``.
        """
        try:
            data = read_regular(self._path)
            items = _parse(data)
            return self._set_aside(data) if items is None else items
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise storage_error(error, f"{self._path.name} cannot be read") from error

    def write(self, items: Sequence[QueuedPrompt]) -> None:
        """Let exactly ``items`` wait; as durable as the level demands.

        Raises ``StorageFull`` or ``StorageFailed``.
        """
        files, sync = self._options.files, self._options.level != "process"
        try:
            if items:
                replace_file(files, self._path, _encode(items), sync=sync)
                return
            self._path.unlink(missing_ok=True)
            if sync:
                files.sync_directory(self._path.parent)
        except OSError as error:
            raise storage_error(error, "The queue is as it was before") from error

    def _set_aside(self, data: bytes) -> SetAside:
        digest = sha256(data).hexdigest()[:8]
        evidence = self._path.with_suffix(f".damaged-{digest}")
        self._path.replace(evidence)
        self._options.files.sync_directory(evidence.parent)
        return SetAside(evidence)


def queue_path(session: Path) -> Path:
    """Return ``S.queue.json``."""
    return session.with_suffix(".queue.json")


def peek_queue(session: Path) -> tuple[QueuedPrompt, ...]:
    """Return what waits in a session that is not ours to write; an unreadable queue is empty."""
    try:
        return _parse(read_regular(queue_path(session))) or ()
    except OSError:
        return ()


def _encode(items: Sequence[QueuedPrompt]) -> bytes:
    listed = [
        {"id": item.id, "text": item.text, **({"attached": item.attached} if item.attached else {})}
        for item in items
    ]
    return orjson.dumps({"version": VERSION, "items": listed}) + b"\n"


def _parse(data: bytes) -> tuple[QueuedPrompt, ...] | None:
    """Return the prompts, None when a single one cannot be understood."""
    try:
        content: JsonValue = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    match content:
        case {"version": 1, "items": list(values)}:
            items = [_item(value) for value in values]
        case _:
            return None
    known = tuple(item for item in items if item is not None)
    unique = len({item.id for item in known}) == len(items)
    return known if unique else None


def _item(value: JsonValue) -> QueuedPrompt | None:
    match value:
        case {"id": str(item_id), "text": str(text), "attached": list(attached)}:
            blocks = tuple(block for block in attached if isinstance(block, str))
            known = len(blocks) == len(attached)
        case {"id": str(item_id), "text": str(text), **others}:
            blocks, known = (), "attached" not in others
        case _:
            return None
    known = known and is_uuid7(item_id) and text.strip() != ""
    return QueuedPrompt(item_id, text, blocks) if known else None
