"""What a ledger knows and has not made yet, for one that was unpacked from a snapshot.

It knows where its messages stand in the log, and in which row of the snapshot everything else is.
Each is made when it is first asked for, so that opening costs little for a history that nobody
looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import Protocol, TypeAlias, TypeVar, cast, overload

from perdure.core.codec import parse_line
from perdure.core.messages import Message
from perdure.json_types import JsonObject

T = TypeVar("T")

Fetch: TypeAlias = Callable[[int], bytes]
"""Returns the line of the log that starts at this byte, without its LF."""


class Messages(Protocol):
    """What the books ask of a list of messages; a plain ``list`` is one."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Message]: ...
    def __reversed__(self) -> Iterator[Message]: ...
    @overload
    def __getitem__(self, index: int, /) -> Message: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[Message]: ...
    def __delitem__(self, index: slice, /) -> None: ...
    def append(self, message: Message, /) -> None: ...


class Recalled(Sequence[Message]):
    """A list of messages some of which are numbers yet: ``recall`` returns the message of one."""

    __slots__ = ("_items", "_recall")

    def __init__(self, items: list[Message | int], recall: Callable[[int], Message]) -> None:
        self._items = items
        self._recall = recall

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self._items)))]
        item = self._items[index]
        if isinstance(item, int):
            item = self._items[index] = self._recall(item)
        return item

    def __delitem__(self, index: slice) -> None:
        del self._items[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(len(self))

    def append(self, message: Message) -> None:
        """Add a message."""
        self._items.append(message)

    def copy(self) -> Recalled:
        """Return a list that grows independently of this one, and recalls as it does."""
        return Recalled(self._items[:], self._recall)


class Rows(MutableMapping[str, T]):
    """A dictionary some of whose values are the numbers of rows yet: ``make`` returns their value.

    Like a dictionary it keeps the order of insertion, and ``popitem`` takes the last.
    """

    __slots__ = ("_items", "_make")

    def __init__(self, items: dict[str, T | int], make: Callable[[int], T]) -> None:
        self._items = items
        self._make = make

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __getitem__(self, key: str) -> T:
        value = self._items[key]
        if isinstance(value, int):
            value = self._items[key] = self._make(value)
        return value

    def __setitem__(self, key: str, value: T) -> None:
        self._items[key] = value

    def __delitem__(self, key: str) -> None:
        del self._items[key]

    def popitem(self) -> tuple[str, T]:
        """Remove the last item and return it."""
        key = next(reversed(self._items))
        return key, self.pop(key)

    def copy(self) -> Rows[T]:
        """Return a dictionary that changes independently of this one."""
        return Rows(self._items.copy(), self._make)


class Archive:
    """The messages of a transcript by their position, read from the log.

    ``sources[i]`` is the entry id of message ``i``, ``places[i]`` where its line starts.
    """

    def __init__(self, fetch: Fetch, *, sources: Sequence[str], places: Sequence[int]) -> None:
        self._fetch = fetch
        self._sources = sources
        self._places = places
        self._latest: tuple[int, dict[str, Message]] = (-1, {})

    def message(self, position: int) -> Message:
        """Return a message; those of one line are parsed together."""
        place = self._places[position]
        latest = self._latest
        if latest[0] != place:
            latest = self._latest = place, _messages_in(self._fetch(place))
        return latest[1][self._sources[position]]


def _messages_in(line: bytes) -> dict[str, Message]:
    """Return the messages of a line that the reducer accepted, by their entry ids."""
    value = parse_line(line)
    facts = cast("list[JsonObject]", value if isinstance(value, list) else [value])
    entries = {cast("str", f["id"]): f["entry"] for f in facts if f["kind"] == "entry"}
    return {
        entry_id: cast("Message", entry["message"])
        for entry_id, entry in entries.items()
        if isinstance(entry, dict) and "message" in entry
    }
