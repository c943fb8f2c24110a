"""The part of the language for session files that knows lines and facts, but no meaning."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Self

from tests.support.wire import START, IdKind, as_dict, encode, uid

from perdure.json_types import JsonObject, JsonValue


class Drop(Enum):
    """What ``patch`` takes in place of a value; it has the same name in every process."""

    DROP = "drop"


DROP: Final = Drop.DROP


@dataclass
class RawLog:
    """Lines of a session file; a line is a fact, a list of facts, or any bytes."""

    lines: list[JsonValue | bytes]
    tail_bytes: bytes = b""
    seq: int = 0
    sources: list[tuple[str, JsonObject]] = field(default_factory=list)
    operation_id: str = uid("operation", 1)
    boundary: str = uid("entry", 1)
    ids: dict[IdKind, int] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """Return the file."""
        return b"".join(map(encode, self.lines)) + self.tail_bytes

    def record(self, kind: str, **body: JsonValue) -> Self:
        """Write a record of the current operation."""
        record: JsonObject = {"type": kind, "operationId": self.operation_id, **body}
        return self.fact("record", self.new_id("record"), record=record)

    def patch(self, path: str, value: object) -> Self:
        """Set one member of the last fact, or remove it with ``DROP``; ``a.b.0.c`` is a path."""
        *parents, last = path.split(".")
        target: object = self.last_fact
        for key in parents:
            target = target[int(key)] if isinstance(target, list) else as_dict(target)[key]
        if isinstance(target, list):
            target[int(last)] = value
        elif value is DROP:
            del as_dict(target)[last]
        else:
            as_dict(target)[last] = value
        return self

    def joined(self, count: int = 2) -> Self:
        """Make the last ``count`` lines one transaction."""
        lines = self.lines[-count:]
        facts = [fact for line in lines for fact in (line if isinstance(line, list) else [line])]
        self.lines[-count:] = [[fact for fact in facts if not isinstance(fact, bytes)]]
        return self

    def raw(self, line: bytes) -> Self:
        """Write any bytes as a line; LF is added."""
        self.lines.append(line)
        return self

    def tail(self, data: bytes) -> Self:
        """Write bytes after the last LF."""
        self.tail_bytes = data
        return self

    def new_id(self, kind: IdKind) -> str:
        """Take the next id of a kind."""
        self.ids[kind] = self.ids.get(kind, 0) + 1
        return uid(kind, self.ids[kind])

    @property
    def last_fact(self) -> JsonObject:
        """The last fact; ``patch`` changes it."""
        line = self.lines[-1]
        fact = line[-1] if isinstance(line, list) else line
        assert isinstance(fact, dict)
        return fact

    def message(self, message: JsonObject, entry_id: str = "", **body: JsonValue) -> Self:
        """Write a message entry and move the boundary."""
        self.boundary = entry_id or self.new_id("entry")
        self.sources.append((self.boundary, message))
        entry: JsonObject = {"type": "message", "message": message, **body}
        return self.fact("entry", self.boundary, entry=entry)

    def fact(self, kind: str, fact_id: str, **body: JsonValue) -> Self:
        """Write a fact with the next seq."""
        self.seq += 1
        envelope: JsonObject = {
            "kind": kind,
            "seq": self.seq,
            "id": fact_id,
            "timestamp": START + self.seq,
        }
        self.lines.append(envelope | body)
        return self
