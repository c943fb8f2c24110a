"""What the editor tells of its files."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict


class Position(TypedDict):
    """A position of LSP, counted from 0."""

    line: int
    character: int


class Range(TypedDict):
    """A range of LSP."""

    start: Position
    end: Position


class Attachment(TypedDict):
    """Context that the editor offers with a prompt, as it is when the prompt is sent.

    ``file``: the whole file. ``selection``: the text, or else the whole lines that ``range``
    touches. ``diagnostics``: the text, one problem a line. Without ``text`` a file of the
    workspace is read, unsaved changes included; with it the ``uri`` may be any.
    """

    kind: Literal["file", "selection", "diagnostics"]
    uri: str
    range: NotRequired[Range]
    text: NotRequired[str]


class DiagnosticsParams(TypedDict):
    """``perdure/diagnostics``: one file, all files without ``uri``."""

    uri: NotRequired[str]


class EditorDiagnostic(TypedDict):
    """A diagnostic of LSP; its further fields may be there and are not read."""

    range: Range
    message: str
    severity: NotRequired[int]
    source: NotRequired[str]
    code: NotRequired[int | str]


class FileDiagnostics(TypedDict):
    """What an editor reports of one file."""

    uri: str
    diagnostics: list[EditorDiagnostic]


class DiagnosticsResult(TypedDict):
    """The files of which the editor reports something, whatever their scheme and place."""

    items: list[FileDiagnostics]
