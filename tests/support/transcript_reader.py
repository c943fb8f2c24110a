"""A reader of session documents who knows nothing but standard LSP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject


@dataclass(frozen=True)
class Reader:
    """Asks one client's server about one document."""

    client: LspClient
    uri: str

    async def text(self) -> str:
        """The document."""
        result = await self.client.request("workspace/textDocumentContent", {"uri": self.uri})
        return str(result["text"])

    async def lines(self) -> list[str]:
        """The document in lines, without their ends."""
        return (await self.text()).split("\n")

    async def symbols(self) -> list[Any]:
        """Document symbols."""
        return list(await self._ask("documentSymbol"))

    async def folds(self) -> list[tuple[int, int]]:
        """First and last line of each folding range."""
        ranges = await self._ask("foldingRange")
        return [(fold["startLine"], fold["endLine"]) for fold in ranges]

    async def links(self) -> list[Any]:
        """Document links."""
        return list(await self._ask("documentLink"))

    async def hover(self, line: int) -> str:
        """The Markdown beside a line, empty when there is none."""
        place: JsonObject = {"position": {"line": line, "character": 0}}
        result = await self._ask("hover", place)
        return "" if result is None else str(result["contents"]["value"])

    async def lenses(self) -> dict[str, tuple[int, Any]]:
        """Line and command of each code lens, by its title."""
        return {
            lens["command"]["title"]: (lens["range"]["start"]["line"], lens["command"])
            for lens in await self._ask("codeLens")
        }

    async def press(self, title: str) -> Any:  # noqa: ANN401
        """Execute the command of the code lens with this title."""
        _, command = (await self.lenses())[title]
        params = {"command": command["command"], "arguments": command["arguments"]}
        return await self.client.request("workspace/executeCommand", params)

    async def _ask(self, feature: str, more: JsonObject | None = None) -> Any:  # noqa: ANN401
        params: JsonObject = {"textDocument": {"uri": self.uri}, **(more or {})}
        return await self.client.request(f"textDocument/{feature}", params)
