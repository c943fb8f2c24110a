"""Listing, naming, finding, deleting, exporting and forking sessions."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from perdure.protocol.status import UsageInfo


class SessionInfo(TypedDict):
    """One row of ``perdure.sessions``; times are ms since the epoch."""

    sessionId: str
    title: str
    createdAt: int
    updatedAt: int
    state: str
    usage: UsageInfo
    path: str


class SessionsResult(TypedDict):
    """Newest first."""

    sessions: list[SessionInfo]


class RenameSessionArguments(TypedDict):
    """``perdure.renameSession``; an empty title takes the name away."""

    workspaceFolder: NotRequired[str]
    sessionId: str
    title: str


class RenameSessionResult(TypedDict):
    """The title as it is shown now."""

    sessionId: str
    title: str


class SearchSessionsArguments(TypedDict):
    """``perdure.searchSessions``."""

    workspaceFolder: NotRequired[str]
    query: str


class SearchHit(TypedDict):
    """A session with the text in its title or transcript; times are ms since the epoch."""

    sessionId: str
    title: str
    createdAt: int
    updatedAt: int
    snippet: str


class SearchSessionsResult(TypedDict):
    """Newest first, at most 50."""

    sessions: list[SearchHit]


class DeleteSessionArguments(TypedDict):
    """``perdure.deleteSession``; asks the user unless ``confirmed`` is true."""

    workspaceFolder: NotRequired[str]
    sessionId: str
    confirmed: NotRequired[bool]


class DeleteSessionResult(TypedDict):
    """``path`` is the folder in the trash that holds the session now."""

    outcome: Literal["deleted", "kept"]
    path: NotRequired[str]


class ExportSessionResult(TypedDict):
    """The transcript as Markdown."""

    markdown: str


class ForkSessionArguments(TypedDict):
    """``perdure.forkSession``; ``entryId`` is the user entry before which the copy ends."""

    workspaceFolder: NotRequired[str]
    sessionId: str
    entryId: str
