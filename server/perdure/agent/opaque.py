"""What a model wants back with its answers, beside the session: ``S.d/replay/<entryId>.json``.

Reasoning, signatures and the like are no part of a message and mean something only to the model
that made them. So each file says which adapter and routing it came through, and what came through
another is not sent. It is written before its entry is committed; one that is missing, or is not
what it should be, counts as not kept: the conversation goes on without it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from perdure.core.messages import Message, calls_of
from perdure.core.state import SessionState
from perdure.json_types import JsonObject
from perdure.providers.base import ProviderIdentity
from perdure.store.places import data_path
from perdure.tools.own_files import private_folder, read_own, write_own

logger = logging.getLogger(__name__)

_ID = re.compile(rb'"id":"([0-9a-f-]{36})"')


def copy_opaque_data(origin: Path, copy: Path) -> None:
    """Give a copy of a session what is kept beside ``origin`` for the entries that both have.

    So the copy's requests begin with the same bytes. What cannot be copied counts as not kept.
    """
    source, target = _folder_of(data_path(origin)), _folder_of(data_path(copy))
    try:
        kept = os.listdir(source)
        entries = {entry_id.decode() for entry_id in _ID.findall(copy.read_bytes())}
        common = [name for name in kept if name.removesuffix(".json") in entries]
        if common:
            private_folder(target)
    except FileNotFoundError:
        return
    except OSError as error:
        logger.warning("What the model wants back could not be copied: %s", error)
        return
    for name in common:
        try:
            write_own(target / name, read_own(source / name))
        except OSError as error:
            logger.warning("What the model wants back could not be copied: %s", error)


class OpaqueData:
    """The opaque data of one session, as far as it is of one model."""

    def __init__(self, data: Path, identity: ProviderIdentity) -> None:
        """``data`` is the session's own folder."""
        self._folder = _folder_of(data)
        self._origin: JsonObject = {"adapter": identity.adapter, "routing": identity.routing}
        self._names: set[str] | None = None
        self._read: dict[str, JsonObject | None] = {}

    async def keep(self, entry_id: str, opaque: JsonObject) -> None:
        """Keep what came with the answer that is about to become this entry.

        That it cannot be kept is no reason to refuse the answer.
        """
        content = json.dumps({**self._origin, "data": opaque}).encode()
        try:
            await asyncio.to_thread(self._write, f"{entry_id}.json", content)
        except OSError as error:
            logger.warning("What the model wants back could not be kept: %s", error)
            return
        self._read[f"{entry_id}.json"] = opaque
        if self._names is not None:
            self._names.add(f"{entry_id}.json")

    async def known(
        self, state: SessionState, messages: Sequence[Message]
    ) -> Mapping[int, JsonObject]:
        """Return what is kept, by index in ``messages``, a beginning of the active context.

        The folder is listed once: nobody else adds anything while the session is open here.
        """
        if self._names is None:
            self._names = await asyncio.to_thread(self._listed)
        names = _names(state, messages, self._names) if self._names else {}
        unread = [name for name in names.values() if name not in self._read]
        if unread:
            await asyncio.to_thread(self._read_all, unread)
        found = ((index, self._read[name]) for index, name in names.items())
        return {index: opaque for index, opaque in found if opaque is not None}

    def _listed(self) -> set[str]:
        try:
            return set(os.listdir(self._folder))
        except OSError:
            return set()

    def _read_all(self, names: Sequence[str]) -> None:
        for name in names:
            self._read[name] = self._parsed(name)

    def _parsed(self, name: str) -> JsonObject | None:
        try:
            value = json.loads(read_own(self._folder / name))
        except (OSError, ValueError, RecursionError):
            return None
        match value:
            case {"data": dict(opaque), **origin} if origin == self._origin:
                return opaque
            case _:
                return None

    def _write(self, name: str, content: bytes) -> None:
        private_folder(self._folder)
        write_own(self._folder / name, content, durable=True)


def _folder_of(data: Path) -> Path:
    return data / "replay"


def _names(
    state: SessionState, messages: Sequence[Message], kept: Collection[str]
) -> dict[int, str]:
    """Return the files of messages: the ends of context and sources agree.

    A summary stands only at the beginning.
    """
    ahead = len(state.source_ids) - len(state.active_context)
    names = (
        (index, f"{state.source_ids[ahead + index]}.json")
        for index, message in enumerate(messages)
        if calls_of(message)
    )
    return {index: name for index, name in names if name in kept}
