"""Output of a command while it runs: provisional, for display only."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable
from pathlib import Path

from perdure.tools.job_files import JobFiles

_SHOWN_AT_ONCE = 8_192


class LiveOutput:
    """Passes on what is appended to the captured streams; a flood is shown in part."""

    def __init__(self, files: JobFiles, on_output: Callable[[str], None]) -> None:
        self._on_output = on_output
        self._streams = [_Stream(path) for path in files.streams]

    def forward(self) -> None:
        """Pass on what is new."""
        for stream in self._streams:
            text = stream.new_text()
            if text:
                self._on_output(text)


class _Stream:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def new_text(self) -> str:
        try:
            with self._path.open("rb") as file:
                self._offset = max(self._offset, file.seek(0, os.SEEK_END) - _SHOWN_AT_ONCE)
                file.seek(self._offset)
                data = file.read(_SHOWN_AT_ONCE)
        except FileNotFoundError:
            return ""
        self._offset += len(data)
        return self._decoder.decode(data)
