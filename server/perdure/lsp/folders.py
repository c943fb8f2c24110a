"""The open workspace folders, each with its agent.

A folder is its canonical path: two URIs of one folder, as through a link, lead to one agent.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from perdure.agent.host import Level
from perdure.errors import CommandError, PerdureError
from perdure.lsp.agents import Agent
from perdure.lsp.tasks import Tasks
from perdure.protocol.uris import file_path, folder_key
from perdure.store.places import canonical_path

CLOSE_SECONDS = 1.5
"""How long suspending may take in all; the process ends within two seconds of the client."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Folder:
    """One open folder. ``ready`` gives its agent when the first plan exists.

    ``uri`` is the one that it was opened by first, ``keys`` are those of all its open URIs.
    """

    uri: str
    keys: set[str]
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
        self._open: dict[Path, Folder] = {}
        self._closed = False

    def __iter__(self) -> Iterator[Folder]:
        return iter(list(self._open.values()))

    def open(self, uri: str) -> None:
        """Open a folder and start its agent; one that is open or in no file system is left alone.

        What goes wrong is told to the user; it is never raised.
        """
        path = file_path(uri)
        if path is None:
            logger.warning("Not opening %s: only folders of the file system can be opened", uri)
            return
        if self._closed:
            return
        canonical = canonical_path(Path(path))
        if canonical in self._open:
            self._open[canonical].keys.add(folder_key(uri))
            return
        try:
            agent = self._make_agent(uri, path)
        except Exception as error:  # noqa: BLE001  the next folder must open all the same
            self._tell_failure(uri, error)
            return
        ready = self._tasks.start(self._start(agent, uri))
        self._open[canonical] = Folder(uri, {folder_key(uri)}, agent, ready)

    async def close(self, uri: str) -> None:
        """Suspend one folder's agent, with the last of the URIs that it was opened by."""
        key = folder_key(uri)
        canonical = next((path for path, open_ in self._open.items() if key in open_.keys), None)
        if canonical is None:
            return
        folder = self._open[canonical]
        folder.keys.remove(key)
        if not folder.keys:
            del self._open[canonical]
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
            folder = next((folder for folder in self if folder_key(uri) in folder.keys), None)
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
        except Exception as error:
            self._tell_failure(uri, error)
            raise

    def _tell_failure(self, uri: str, error: Exception) -> None:
        if isinstance(error, (PerdureError, OSError)):
            self._tell("error", f"{uri} could not be opened: {error}")
            return
        logger.error("The agent of %s could not start", uri, exc_info=error)
        self._tell("error", f"{uri} could not be opened; the server's log says why.")


async def _close(folder: Folder) -> None:
    folder.ready.cancel()
    await asyncio.gather(folder.ready, return_exceptions=True)
    try:
        await folder.agent.close()
    except (PerdureError, OSError) as error:
        logger.warning("Closing %s: %s", folder.uri, error)
    except Exception:
        logger.exception("Closing %s failed", folder.uri)
