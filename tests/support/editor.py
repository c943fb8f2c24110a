"""An editor with one open document, as far as the server can tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

APPLIES: JsonObject = {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}
APPLIES_UNDECLARED: JsonObject = {"workspace": {"applyEdit": True}}
"""Like Neovim, which observes versions without saying so."""


class Editor:
    """Opens ``path`` with ``text`` and answers ``workspace/applyEdit`` as editors do.

    ``text`` is what the user sees now, ``undo`` what one step back would show. With ``types`` the
    user types it at the end of the document, just before an edit would be applied.
    """

    def __init__(self, client: LspClient, path: Path, text: str, *, types: str = "") -> None:
        self.client = client
        self.uri = path.as_uri()
        self.text = text
        self.undo: list[str] = []
        self.version = 1
        self._types = types
        document: JsonObject = {"uri": self.uri, "languageId": "x", "version": 1, "text": text}
        client.notify("textDocument/didOpen", {"textDocument": document})
        client.on_request("workspace/applyEdit", self._apply)

    def change(self, text: str) -> None:
        """Show another text, and tell the server the whole of it."""
        self.text = text
        self.version += 1
        changed: JsonObject = {"uri": self.uri, "version": self.version}
        self.client.notify(
            "textDocument/didChange", {"textDocument": changed, "contentChanges": [{"text": text}]}
        )

    def save(self, path: Path) -> None:
        """Write the text to the file and tell the server."""
        path.write_text(self.text)
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri}})

    def close(self) -> None:
        """Close the document."""
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})

    def _apply(self, params: Any) -> JsonObject:  # noqa: ANN401
        if self._types:
            self.change(self.text + self._types)
        [change] = params["edit"]["documentChanges"]
        document = change["textDocument"]
        if document != {"uri": self.uri, "version": self.version}:
            return {"applied": False, "failureReason": "the document has changed"}
        self.undo.append(self.text)
        units = self.text.encode("utf-16-le")
        for edit in sorted(change["edits"], key=lambda edit: -self._unit(edit["range"]["start"])):
            start, end = (2 * self._unit(edit["range"][side]) for side in ("start", "end"))
            units = units[:start] + edit["newText"].encode("utf-16-le") + units[end:]
        self.change(units.decode("utf-16-le"))
        return {"applied": True}

    def _unit(self, position: Any) -> int:  # noqa: ANN401
        lines = self.text.split("\n")[: position["line"]]
        return len("".join(f"{line}\n" for line in lines).encode("utf-16-le")) // 2 + int(
            position["character"]
        )
