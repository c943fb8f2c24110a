"""Session documents as the client knows them: finding them, and telling when they change.

A document is watched from the first request for it until the client closes it. Sessions that this
process writes tell of every commit; all others are looked at again and again.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lsprotocol import types

from perdure.errors import CommandError, PerdureError, SessionNotFound
from perdure.lsp.folders import Folder
from perdure.lsp.rpc import CallFailed, Protocol
from perdure.lsp.tasks import Tasks
from perdure.protocol.documents import TranscriptChangedParams
from perdure.protocol.status import Status

if TYPE_CHECKING:
    from perdure.agent.transcript import Document
    from perdure.store.follow import Revision

CHANGED = "perdure/transcriptChanged"
LOOK_SECONDS = 0.5
"""Between two looks at the files that other processes may write."""
REST_SECONDS = 0.25
"""Between two refreshes of one document, and ``REST_SECONDS_PER_CHARACTER`` more."""
REST_SECONDS_PER_CHARACTER = 1e-6

_URI = re.compile(r"perdure:(?://)?/([^/?#]+)\.md")

logger = logging.getLogger(__name__)


def transcript_uri(session_id: str) -> str:
    """The document that shows a session."""
    return f"perdure:/{session_id}.md"


def session_of(uri: str) -> str | None:
    """Return the session that a URI names, None when it is no document of ours."""
    match = _URI.fullmatch(uri)
    return match[1] if match else None


@dataclass(frozen=True, slots=True)
class Shown:
    """A document, and the folder to which its session belongs."""

    folder: Folder
    session_id: str
    document: Document


@dataclass(slots=True)
class _Watch:
    """One document at the client, which has had its ``revision``, None if this process writes it.

    ``resting`` while a refresh has to wait.
    """

    folder: Folder
    session_id: str
    refresh: bool
    revision: Revision | None = None
    size: int = 0
    changed: bool = False
    resting: asyncio.TimerHandle | None = field(default=None, repr=False)


class TranscriptDocuments:
    """All session documents of one client. ``refreshes_lenses`` says what the client can do."""

    def __init__(
        self, protocol: Protocol, tasks: Tasks, folders: Callable[[], Iterable[Folder]]
    ) -> None:
        self.refreshes_lenses = False
        self._protocol = protocol
        self._tasks = tasks
        self._folders = folders
        self._watched: dict[str, _Watch] = {}
        self._states: dict[str, tuple[str | None, str]] = {}
        self._looking: asyncio.Task[None] | None = None

    async def find(self, uri: str) -> Shown:
        """Return the document that a URI names. Raises ``PerdureError``."""
        folder, session_id = await self._owner(uri)
        return Shown(folder, session_id, await folder.agent.transcripts.document(session_id))

    async def read(self, uri: str, *, refresh: bool) -> str:
        """Return the text of a document and watch it; raises like ``find``.

        Changes are told by ``workspace/textDocumentContent/refresh`` or, without ``refresh``, by
        ``perdure/transcriptChanged``.
        """
        folder, session_id = await self._owner(uri)
        watch = self._watched.setdefault(uri, _Watch(folder, session_id, refresh))
        watch.changed = False
        watch.revision = await folder.agent.transcripts.revision(session_id)
        try:
            text = (await folder.agent.transcripts.document(session_id)).text
        except PerdureError:
            self.forget(uri)
            raise
        watch.size = len(text)
        if self._looking is None:
            self._looking = self._tasks.start(self._look())
        return text

    def forget(self, uri: str) -> None:
        """Watch a document no more; harmless for one that is not watched."""
        watch = self._watched.pop(uri, None)
        if watch is not None and watch.resting is not None:
            watch.resting.cancel()

    async def heading(self, session_id: str, operation_id: str) -> int:
        """Return the line of an operation's turn, 0 when it cannot be read."""
        try:
            shown = await self.find(transcript_uri(session_id))
        except PerdureError:
            return 0
        return shown.document.turn_line(operation_id) or 0

    def committed(self, session_id: str) -> None:
        """Tell the client that the session has more facts."""
        for uri, watch in list(self._watched.items()):
            if watch.session_id == session_id:
                self._changed(uri, watch)

    def status_changed(self, status: Status) -> None:
        """Let the client ask for lenses again when other actions may be legal."""
        now = status["sessionId"], status["state"]
        before = self._states.get(status["workspaceFolder"])
        self._states[status["workspaceFolder"]] = now
        if now != before and self._watched and self.refreshes_lenses:
            self._tasks.spawn(self._call(types.WORKSPACE_CODE_LENS_REFRESH))

    def _changed(self, uri: str, watch: _Watch) -> None:
        """Tell it now, or when the client has had time for what it was told last."""
        watch.changed = True
        if watch.resting is None:
            self._tell(uri, watch)

    def _tell(self, uri: str, watch: _Watch) -> None:
        watch.resting = None
        if not watch.changed:
            return
        watch.changed = False
        seconds = REST_SECONDS + watch.size * REST_SECONDS_PER_CHARACTER
        watch.resting = asyncio.get_running_loop().call_later(seconds, self._tell, uri, watch)
        if watch.refresh:
            self._tasks.spawn(self._call(types.WORKSPACE_TEXT_DOCUMENT_CONTENT_REFRESH, uri=uri))
        else:
            params: TranscriptChangedParams = {"uri": uri}
            self._protocol.publish(CHANGED, params)

    async def _look(self) -> None:
        """Look for changes by others, while something is watched."""
        while self._watched:
            await asyncio.sleep(LOOK_SECONDS)
            for uri, watch in list(self._watched.items()):
                now = await watch.folder.agent.transcripts.revision(watch.session_id)
                if now is None or now == watch.revision:
                    continue
                watch.revision = now
                if self._watched.get(uri) is watch:
                    self._changed(uri, watch)
        self._looking = None

    async def _owner(self, uri: str) -> tuple[Folder, str]:
        """Return the folder of a document's session, and the session."""
        session_id = session_of(uri)
        if session_id is None:
            raise CommandError(f"{uri} is no document of a session.")
        for folder in self._folders():
            try:
                await folder.agent.transcripts.path(session_id)
            except SessionNotFound:
                continue
            return folder, session_id
        raise SessionNotFound(f"Session not found: {session_id}.")

    async def _call(self, method: str, **params: str) -> None:
        try:
            await self._protocol.call(method, params)
        except CallFailed as error:
            logger.warning("%s failed: %s", method, error)
