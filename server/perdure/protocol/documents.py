"""Transcripts and logs as documents."""

from __future__ import annotations

from typing_extensions import TypedDict


class TranscriptParams(TypedDict):
    """``perdure/transcript``, for clients without ``workspace/textDocumentContent``."""

    uri: str


class TranscriptResult(TypedDict):
    """The session as Markdown; from now on ``perdure/transcriptChanged`` tells of changes."""

    text: str


class TranscriptChangedParams(TypedDict):
    """``perdure/transcriptChanged``: the text is another one now; ask again to see it."""

    uri: str


class ShowLogResult(TypedDict):
    """The file, and whether the client has opened it.

    ``perdure.showLog``: the session's own; ``perdure.showChanged``: a Markdown text that says what
    changed since the blocked operation was recorded.
    """

    uri: str
    shown: bool
