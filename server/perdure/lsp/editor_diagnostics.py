"""What the editor reports of files, asked by ``perdure/diagnostics``."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from perdure.errors import ToolError
from perdure.json_types import JsonObject, JsonValue
from perdure.lsp.rpc import CallFailed, Protocol
from perdure.protocol.editor import EditorDiagnostic, FileDiagnostics, Position

DIAGNOSTICS = "perdure/diagnostics"
TIMEOUT_SECONDS = 10.0


class EditorDiagnostics:
    """Asks a client that declares ``experimental.perdure.diagnostics``."""

    def __init__(self, protocol: Protocol) -> None:
        self.supported = False
        self._protocol = protocol

    async def ask(self, uri: str | None) -> Sequence[FileDiagnostics]:
        """Return the diagnostics of one URI, or of all files. Raises ToolError.

        What in the answer is no diagnostic of LSP is passed over.
        """
        request = self._protocol.call(DIAGNOSTICS, {} if uri is None else {"uri": uri})
        try:
            answer = await asyncio.wait_for(request, TIMEOUT_SECONDS)
        except CallFailed as error:
            raise ToolError(f"The editor could not tell its diagnostics: {error}.") from error
        except TimeoutError as error:
            raise ToolError("The editor did not tell its diagnostics in time.") from error
        match answer:
            case {"items": list(items)}:
                return list(_files(items))
            case _:
                return []


def _files(items: Sequence[JsonValue]) -> Iterator[FileDiagnostics]:
    for item in items:
        match item:
            case {"uri": str(uri), "diagnostics": list(values)}:
                found = [_diagnostic(value) for value in values if isinstance(value, dict)]
                yield {"uri": uri, "diagnostics": [it for it in found if it is not None]}
            case _:
                continue


def _diagnostic(value: JsonObject) -> EditorDiagnostic | None:
    match value:
        case {
            "range": {
                "start": {"line": int(line), "character": int(character)},
                "end": {"line": int(end_line), "character": int(end_character)},
            },
            "message": str(message),
        }:
            start: Position = {"line": line, "character": character}
            end: Position = {"line": end_line, "character": end_character}
            return _completed({"range": {"start": start, "end": end}, "message": message}, value)
        case _:
            return None


def _completed(diagnostic: EditorDiagnostic, value: JsonObject) -> EditorDiagnostic:
    severity, source, code = (value.get(name) for name in ("severity", "source", "code"))
    if isinstance(severity, int):
        diagnostic["severity"] = severity
    if isinstance(source, str):
        diagnostic["source"] = source
    if isinstance(code, str | int):
        diagnostic["code"] = code
    return diagnostic
