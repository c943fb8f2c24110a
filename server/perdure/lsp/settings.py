"""The editor's settings: where they come from and what is wrong with them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from lsprotocol import types

from perdure.agent.host import Level
from perdure.json_types import JsonValue
from perdure.lsp.rpc import CallFailed, Protocol

if TYPE_CHECKING:
    from perdure.agent.settings import Settings

SECTION = "perdure"

PULL_TIMEOUT_SECONDS = 5.0
"""A client that does not answer ``workspace/configuration`` must not keep the folders closed."""

logger = logging.getLogger(__name__)


class EditorSettings:
    """Keeps what the editor said and merges it with the other layers.

    ``tell`` shows a message to the user; each problem is told once.
    """

    def __init__(
        self,
        protocol: Protocol,
        *,
        environ: Mapping[str, str],
        tell: Callable[[Level, str], None],
    ) -> None:
        self._protocol = protocol
        self._environ = environ
        self._tell = tell
        self._initial: JsonValue = None
        self._configured: JsonValue = None
        self._told: set[str] = set()

    def initialize(self, options: JsonValue) -> None:
        """Take ``initializationOptions``: the settings, or ``{"settings": {...}}``."""
        match options:
            case {"settings": settings}:
                self._initial = settings
            case _:
                self._initial = options

    def push(self, values: JsonValue) -> None:
        """Take the params of ``workspace/didChangeConfiguration``: all sections, or ours alone."""
        match values:
            case {"perdure": settings}:
                self._configured = settings
            case _:
                self._configured = values

    async def pull(self) -> None:
        """Ask the client for our section; what is known stays when it does not answer."""
        params = {"items": [{"section": SECTION}]}
        request = self._protocol.call(types.WORKSPACE_CONFIGURATION, params)
        try:
            answer = await asyncio.wait_for(request, PULL_TIMEOUT_SECONDS)
        except (CallFailed, TimeoutError) as error:
            logger.warning("No answer to workspace/configuration: %s", error)
            return
        match answer:
            case [settings]:
                self._configured = settings
            case _:
                logger.warning("Ignoring an answer to workspace/configuration without one item")

    def current(self) -> Settings:
        """Merge all layers and tell the user of new problems. Reads the configuration file."""
        from perdure.agent.settings_layers import (
            Layer,
            environment_layer,
            file_layer,
            user_config_file,
        )
        from perdure.agent.settings_loading import load

        in_file, unreadable = file_layer(user_config_file())
        settings, problems = load(
            [
                in_file,
                Layer("initializationOptions", self._initial),
                Layer("editor settings", self._configured),
                environment_layer(self._environ),
            ]
        )
        new = [text for text in map(str, [*unreadable, *problems]) if text not in self._told]
        if new:
            self._told.update(new)
            self._tell("warning", "\n".join(["Perdure settings:", *new]))
        return settings
