"""The transcript of one session file: reads from it what a state says is there."""

from __future__ import annotations

import os
from pathlib import Path

from perdure.agent.session_facts import facts_in, session_facts
from perdure.agent.transcript.document import Document, Transcript
from perdure.core.masking import Shown, as_stored
from perdure.core.state import SessionState
from perdure.errors import StorageFailed


class TranscriptFile:
    """Follows a file that is only ever appended to. Reading takes no lock and changes nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._inode = 0
        self._notice = ""
        self._shown: Shown = as_stored
        self._length = 0
        self._transcript: Transcript | None = None

    def catch_up(
        self, state: SessionState, *, notice: str = "", shown: Shown = as_stored
    ) -> Document:
        """Return the document as of ``state``, which was read from this file, and the ``notice``.

        Costs in proportion to what was added; a file that was replaced is read anew, and so is one
        that could not be rendered. Blocks. Raises ``StorageFailed``.
        """
        try:
            with self._path.open("rb") as file:
                inode = os.fstat(file.fileno()).st_ino
                transcript = self._continued(state, inode, notice, shown)
                file.seek(self._length)
                data = file.read(state.repaired_length - self._length)
        except OSError as error:
            raise StorageFailed(f"{self._path} cannot be read: {error.strerror}.") from error
        self._transcript = None
        transcript.append(facts_in(data) if self._length else session_facts(data))
        self._transcript = transcript
        self._length = state.repaired_length
        return transcript.document

    def _continued(self, state: SessionState, inode: int, notice: str, shown: Shown) -> Transcript:
        transcript = self._transcript
        same = (inode, notice, shown) == (self._inode, self._notice, self._shown)
        if transcript is None or not same or state.repaired_length < self._length:
            self._length = 0
            transcript = Transcript(state.header, notice=notice, shown=shown)
        self._inode = inode
        self._notice = notice
        self._shown = shown
        return transcript
