"""``perdure acp`` as a real process, driven by the SDK's own client."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from acp import PROTOCOL_VERSION, spawn_agent_process, text_block
from acp.client.connection import ClientSideConnection
from acp.schema import (
    AllowedOutcome,
    DeniedOutcome,
    PermissionOption,
    PromptResponse,
    RequestPermissionResponse,
    ToolCallUpdate,
)
from tests.support.lsp_client import server_environment
from tests.support.scene import Scene

COMMAND = (sys.executable, "-m", "perdure", "acp")
ALLOWED = '[approval]\nbash = "allow"\nwrite = "allow"\nedit = "allow"'
"""Settings that let every tool run without asking."""


class RecordingClient:
    """Records all updates; answers every permission request with ``option``.

    None leaves it open until ``cancel_permissions``.
    """

    def __init__(self, option: str | None) -> None:
        self.updates: list[Any] = []
        self.asked: list[tuple[ToolCallUpdate, list[PermissionOption]]] = []
        self._option = option
        self._cancelled = asyncio.Event()

    def on_connect(self, conn: Any) -> None:  # noqa: ANN401
        """The connection is known already."""

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:  # noqa: ANN401
        """Record an update."""
        self.updates.append(update)

    async def request_permission(
        self,
        session_id: str,
        tool_call: ToolCallUpdate,
        options: list[PermissionOption],
        **_: Any,  # noqa: ANN401
    ) -> RequestPermissionResponse:
        """Answer as told at the beginning."""
        self.asked.append((tool_call, options))
        if self._option is None:
            await self._cancelled.wait()
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        outcome = AllowedOutcome(outcome="selected", option_id=self._option)
        return RequestPermissionResponse(outcome=outcome)

    def cancel_permissions(self) -> None:
        """Do what a client does when the user cancels the turn."""
        self._cancelled.set()

    def named(self, kind: str) -> list[Any]:
        """All updates of one kind, for example ``tool_call``."""
        return [update for update in self.updates if update.session_update == kind]

    def text(self, kind: str = "agent_message_chunk") -> str:
        """All text of one kind."""
        return "".join(update.content.text for update in self.named(kind))

    def statuses(self) -> list[str]:
        """The states of all calls, in the order in which they were told."""
        calls = ("tool_call", "tool_call_update")
        states = [it.status for it in self.updates if it.session_update in calls]
        return [state for state in states if state is not None]


@dataclass
class Acp:
    """One running ``perdure acp`` with one session."""

    client: RecordingClient
    connection: ClientSideConnection
    process: Process
    session_id: str

    async def prompt(self, text: str) -> PromptResponse:
        """Send a prompt; return at the end of its turn."""
        return await self.connection.prompt(session_id=self.session_id, prompt=[text_block(text)])

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for what the client is told."""
        async with asyncio.timeout(20):
            while not condition():  # noqa: ASYNC110  updates come whenever they come
                await asyncio.sleep(0.01)


@asynccontextmanager
async def acp_at(
    scene: Scene,
    *,
    load: str = "",
    option: str | None = "allow",
    settings: str = "",
    **variables: str,
) -> AsyncIterator[Acp]:
    """Start it in the scene's folder and open a session, a new one unless ``load`` names one.

    ``settings`` are further lines of the user's ``config.toml``, ``variables`` of the environment.
    """
    configure(scene, settings)
    client = RecordingClient(option)
    with (scene.home / "stderr.txt").open("ab") as sink:
        async with spawn_agent_process(
            client,  # type: ignore[arg-type]  # of the client's methods only these are called
            *COMMAND,
            env={**server_environment(scene.home), **variables},
            cwd=scene.folder,
            transport_kwargs={"stderr": sink},
            use_unstable_protocol=True,
        ) as (connection, process):
            await connection.initialize(protocol_version=PROTOCOL_VERSION)
            folder = str(scene.folder)
            if load:
                await connection.load_session(cwd=folder, session_id=load, mcp_servers=[])
            else:
                new = await connection.new_session(cwd=folder, mcp_servers=[])
                load = new.session_id
            yield Acp(client, connection, process, load)


def configure(scene: Scene, settings: str) -> None:
    """Write the user's configuration: the scene's model, and further lines."""
    file = scene.home / "config" / "perdure" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        f'{settings}\n[model]\nprovider = "openai"\nname = "test-model"\n'
        f'baseUrl = "{scene.model.base_url}"\n'
    )
