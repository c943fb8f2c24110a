"""The open workspace folders, each with its agent."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from perdure.agent.host import Level
from perdure.errors import CommandError, PerdureError
from perdure.lsp.agents import Agent
from perdure.lsp.convert import file_path, folder_key
from perdure.lsp.tasks import Tasks

CLOSE_SECONDS = 1.5
"""How long suspending may take in all; the process ends within two seconds of the client."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Folder:
    """One open folder. ``ready`` gives its agent when the first plan exists."""

    uri: str
    agent: Agent
    ready: asyncio.Task[None]


class Folders:
    """Opens, finds and closes folders. ``make_agent(uri, path)`` builds an agent."""

    def __init__(
        self,
        *,
        make_agent: Callable[[str, str], Agent],
        tasks: Tasks,
        tell: Callable[[Level, str], None],
    ) -> None:
        self._make_agent = make_agent
        self._tasks = tasks
        self._tell = tell
        self._open: dict[str, Folder] = {}
        self._closed = False

    def __iter__(self) -> Iterator[Folder]:
        return iter(list(self._open.values()))

    def open(self, uri: str) -> None:
        """Open a folder and start its agent; one that is open or in no file system is left alone.

        What goes wrong is told to the user.
        """
        path = file_path(uri)
        if path is None:
            logger.warning("Not opening %s: only folders of the file system can be opened", uri)
            return
        if self._closed or folder_key(uri) in self._open:
            return
        try:
            agent = self._make_agent(uri, path)
        except (PerdureError, OSError) as error:
            self._tell("error", f"{uri} could not be opened: {error}")
            return
        ready = self._tasks.start(self._start(agent, uri))
        self._open[folder_key(uri)] = Folder(uri, agent, ready)

    async def close(self, uri: str) -> None:
        """Suspend one folder's agent."""
        folder = self._open.pop(folder_key(uri), None)
        if folder is not None:
            await _close(folder)

    async def close_all(self) -> None:
        """Suspend all agents, in ``CLOSE_SECONDS`` at most, and open no folder any more."""
        self._closed = True
        folders = list(self._open.values())
        self._open.clear()
        if not folders:
            return
        closing = [self._tasks.start(_close(folder)) for folder in folders]
        _, late = await asyncio.wait(closing, timeout=CLOSE_SECONDS)
        if late:
            logger.warning("%d folders did not close in time", len(late))

    async def find(self, uri: str | None) -> Folder:
        """Return the folder that a command means, once its first plan exists.

        Raises:
            CommandError: ``invalid_params``: no such folder, or not clear which.
            PerdureError: what opening it raised.
        """
        folder = self._pick(uri)
        await asyncio.shield(folder.ready)
        return folder

    def _pick(self, uri: str | None) -> Folder:
        if not self._open:
            raise CommandError("No workspace folder is open: open a folder and try again.")
        if uri is not None:
            folder = self._open.get(folder_key(uri))
            if folder is None:
                raise CommandError(f"workspaceFolder: {uri} is not an open folder.")
            return folder
        if len(self._open) > 1:
            uris = ", ".join(folder.uri for folder in self)
            raise CommandError(f"workspaceFolder is missing; it is one of {uris}.")
        return next(iter(self))

    async def _start(self, agent: Agent, uri: str) -> None:
        try:
            await agent.start()
        except PerdureError as error:
            self._tell("error", f"{uri} could not be opened: {error}")
            raise
        except Exception:
            logger.exception("The agent of %s could not start", uri)
            self._tell("error", f"{uri} could not be opened; the server's log says why.")
            raise


async def _close(folder: Folder) -> None:
    folder.ready.cancel()
    await asyncio.gather(folder.ready, return_exceptions=True)
    try:
        await folder.agent.close()
    except (PerdureError, OSError) as error:
        logger.warning("Closing %s: %s", folder.uri, error)
