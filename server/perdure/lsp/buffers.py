"""The open documents: what the user sees of a file, and changes made there instead of on disk.

A document is *modified* when its text is not what the file holds. It is compared with the file
only while it is in doubt: since it was opened, and since each change, until it was once found
equal. So a clean document never hides what a command has meanwhile written to the file.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from perdure.agent.host import Buffer
from perdure.agent.text_changes import Change, applied
from perdure.errors import ToolError
from perdure.json_types import JsonValue
from perdure.lsp.document_text import Positions, changed
from perdure.lsp.rpc import CallFailed, Protocol
from perdure.lsp.saved_text import alike, is_saved
from perdure.lsp.tasks import Tasks
from perdure.protocol.uris import file_path

PAUSE_SECONDS = 0.5
"""How long after the latest change a document is compared with its file."""

ANSWER_SECONDS = 30.0
"""How long a client may take to apply an edit."""

SHOWN_SECONDS = 3.0
"""How long it may take, after it said so, until its text is the new one."""

UNABLE = (
    "{name} has unsaved changes in the editor, and this editor cannot be asked to change it. "
    "Nothing was changed. Ask the user to save the file first."
)
MOVED = "{name} was changed in the editor meanwhile. Nothing was changed; read it again."
REFUSED = "The editor did not change {name} ({reason}). Nothing was changed; read it again."
SILENT = "The editor did not say whether it has changed {name}. Read it again before going on."
NOT_SHOWN = (
    "The editor says that it has changed {name}, but its text is not what it should be then. "
    "Read it again before going on."
)


@dataclass(slots=True)
class _Document:
    """One open document; the event of ``awaited`` is set when its text is the awaited one."""

    uri: str
    path: str
    version: int
    text: str
    in_doubt: bool = True
    awaited: tuple[str, asyncio.Event] | None = None
    timer: asyncio.TimerHandle | None = None


class Buffers:
    """The documents of one client. ``encoding`` gives the agreed position encoding.

    Edits always name a version. Neovim observes it without declaring so, and says ``applied``
    where it does nothing because the version has passed. So ``apply`` waits for the new text;
    without it, only a client that ``knows_versions`` is believed, and only while it has told of
    no other text.
    """

    def __init__(self, protocol: Protocol, tasks: Tasks, encoding: Callable[[], str]) -> None:
        self.applies_edits = False
        self.knows_versions = False
        self._protocol = protocol
        self._tasks = tasks
        self._encoding = encoding
        self._open: dict[str, _Document] = {}

    def open(self, item: types.TextDocumentItem) -> None:
        """Take the text of a document; those that are no files are left out."""
        path = file_path(item.uri)
        if path is None:
            return
        document = _Document(item.uri, path, item.version, item.text)
        self._open[item.uri] = document
        self._tasks.spawn(self._compare(document))

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Follow the user's changes, and those of ``apply``.

        That a document was loaded from its file again is a change too, which nobody names so.
        """
        document = self._open.get(params.text_document.uri)
        if document is None:
            return
        document.text = changed(document.text, params.content_changes, self._encoding())
        document.version = params.text_document.version
        document.in_doubt = True
        if document.awaited is not None and alike(document.text, document.awaited[0]):
            document.awaited[1].set()
        self._compare_later(document)

    def save(self, uri: str) -> None:
        """Learn that the file should hold the text now."""
        document = self._open.get(uri)
        if document is not None:
            self._tasks.spawn(self._compare(document))

    def close(self, uri: str) -> None:
        """Forget a document: what was not saved is gone, or in the editor's own keeping."""
        document = self._open.pop(uri, None)
        if document is not None and document.timer is not None:
            document.timer.cancel()

    async def find(self, path: Path) -> Buffer | None:
        """Return the modified document of the file with this real path."""
        for document in [each for each in self._open.values() if each.in_doubt]:
            if await asyncio.to_thread(os.path.realpath, document.path) != str(path):
                continue
            await self._compare(document)
            if document.in_doubt and self._open.get(document.uri) is document:
                return Buffer(document.uri, document.version, document.text)
        return None

    async def apply(self, buffer: Buffer, changes: Sequence[Change], label: str) -> None:
        """Ask the client to change the text of ``buffer``, and see that it does.

        Raises ToolError when it does not, or when nobody can know.
        """
        document = self._open.get(buffer.uri)
        name = os.path.basename(file_path(buffer.uri) or buffer.uri)
        if not self.applies_edits:
            raise ToolError(UNABLE.format(name=name))
        if document is None or document.version != buffer.version:
            raise ToolError(MOVED.format(name=name))
        shown = asyncio.Event()
        document.awaited = applied(buffer.text, changes), shown
        try:
            await self._request(buffer, changes, label, name)
            await asyncio.wait_for(shown.wait(), SHOWN_SECONDS)
        except TimeoutError as error:
            if not self.knows_versions or document.version != buffer.version:
                raise ToolError(NOT_SHOWN.format(name=name)) from error
        finally:
            document.awaited = None

    async def _request(
        self, buffer: Buffer, changes: Sequence[Change], label: str, name: str
    ) -> None:
        params = {"label": label, "edit": _workspace_edit(buffer, changes, self._encoding())}
        call = self._protocol.call(types.WORKSPACE_APPLY_EDIT, params)
        try:
            answer = await asyncio.wait_for(call, ANSWER_SECONDS)
        except CallFailed as error:
            raise ToolError(REFUSED.format(name=name, reason=error)) from error
        except TimeoutError as error:
            raise ToolError(SILENT.format(name=name)) from error
        match answer:
            case {"applied": True}:
                return
            case {"failureReason": str(reason)} if reason:
                raise ToolError(REFUSED.format(name=name, reason=reason))
            case _:
                raise ToolError(REFUSED.format(name=name, reason="it gives no reason"))

    def _compare_later(self, document: _Document) -> None:
        if document.timer is not None:
            document.timer.cancel()
        document.timer = asyncio.get_running_loop().call_later(
            PAUSE_SECONDS, lambda: self._tasks.spawn(self._compare(document))
        )

    async def _compare(self, document: _Document) -> None:
        """Find whether the file holds the text, unless that is known or the text changes."""
        if not document.in_doubt:
            return
        version = document.version
        equal = await asyncio.to_thread(is_saved, document.text, document.path)
        if equal and document.version == version:
            document.in_doubt = False


def _workspace_edit(
    buffer: Buffer, changes: Sequence[Change], encoding: str
) -> Mapping[str, JsonValue]:
    positions = Positions(buffer.text, encoding)

    def position(offset: int) -> JsonValue:
        found = positions.position(offset)
        return {"line": found.line, "character": found.character}

    edits: list[JsonValue] = [
        {
            "range": {"start": position(change.start), "end": position(change.end)},
            "newText": change.text,
        }
        for change in changes
    ]
    document: JsonValue = {"uri": buffer.uri, "version": buffer.version}
    return {"documentChanges": [{"textDocument": document, "edits": edits}]}
