"""Which session a workspace works on, and how it comes to be open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from perdure.agent.folder import Folder
from perdure.agent.gauge import ContextGauge, gauge_of
from perdure.agent.opaque import copy_opaque_data
from perdure.agent.restoring import discard_unfinished
from perdure.agent.status import usage_info
from perdure.core.facts import Header
from perdure.core.last_run import LastRun
from perdure.core.state import Idle, SessionState
from perdure.protocol.sessions import SessionInfo
from perdure.providers.base import ProviderIdentity
from perdure.store.catalog import Catalog, SessionSummary
from perdure.store.fork import fork_session
from perdure.store.jsonl import SessionStore
from perdure.store.options import StoreOptions
from perdure.store.places import (
    Workspace,
    data_path,
    locate_workspace,
    prepare_workspace,
    state_directory,
)
from perdure.store.tail import last_run, looks_unfinished


class Sessions:
    """The sessions of one folder on disk."""

    def __init__(self, *, folder: Folder, environ: Mapping[str, str], sessions_dir: str) -> None:
        state = state_directory(environ, sessions_dir=sessions_dir)
        self._folder = folder
        self._workspace: Workspace = locate_workspace(folder.root, state=state)
        self.catalog = Catalog(self._workspace.sessions)

    @property
    def directory(self) -> Path:
        """The folder's own directory, with ``sessions/`` and the workspace's allowances."""
        return self._workspace.directory

    async def newest(self) -> Path | None:
        """Return the newest session with an unfinished operation, else the newest, else None."""
        return await asyncio.to_thread(self._newest)

    async def open(self, path: Path, options: StoreOptions) -> SessionStore:
        """Open for writing, and remove what a killed undo left. Raises ``StoreError``."""
        store = await SessionStore.open(path, options=options)
        async with _closed_if_cut_short(store):
            await asyncio.to_thread(discard_unfinished, data_path(path))
        return store

    async def past_of(self, store: SessionStore) -> tuple[LastRun, ContextGauge]:
        """Return how the last run ended and how full the context is; cut short, close the store."""
        async with _closed_if_cut_short(store):
            last = await asyncio.to_thread(last_run, store.path)
            return last, await gauge_of(store.path, store.state)

    async def create(self, identity: ProviderIdentity, options: StoreOptions) -> SessionStore:
        """Create a session of this folder. Raises ``StoreError``."""
        await asyncio.to_thread(prepare_workspace, options.files, self._workspace)
        return await SessionStore.create(
            self._workspace.sessions,
            cwd=str(self._folder.root),
            provider=identity.provider,
            model=identity.model,
            environment_identity=self._folder.environment_identity,
            options=options,
        )

    async def fork(
        self, origin: Path, entry_id: str | None, identity: ProviderIdentity, options: StoreOptions
    ) -> Path:
        """Write a new session with the past of ``origin``, before a user turn if one is named.

        What models want back with the answers of that past goes along. Raises ``StoreError``.
        """
        header = Header(
            kind="header",
            version=2,
            id=options.new_id(),
            createdAt=options.now(),
            cwd=str(self._folder.root),
            provider=identity.provider,
            model=identity.model,
            environmentIdentity=self._folder.environment_identity,
        )

        def fork() -> Path:
            path = fork_session(origin, entry_id, header=header, options=options)
            copy_opaque_data(origin, path)
            return path

        return await asyncio.to_thread(fork)

    async def infos(self) -> list[SessionInfo]:
        """Return one row per session, last written first."""
        return await asyncio.to_thread(self._infos)

    async def read(self, path: Path) -> SessionState | None:
        """Return what a session on disk says now, None when it is corrupt."""
        state = await asyncio.to_thread(self.catalog.reduce, path)
        return state if isinstance(state, SessionState) else None

    def _newest(self) -> Path | None:
        summaries = self.catalog.list()
        unfinished = (s.path for s in summaries if looks_unfinished(s.path))
        return next(unfinished, summaries[0].path if summaries else None)

    def _infos(self) -> list[SessionInfo]:
        return [self._info(summary) for summary in self.catalog.list()]

    def _info(self, summary: SessionSummary) -> SessionInfo:
        reduced = self.catalog.reduce(summary.path)
        state = reduced if isinstance(reduced, SessionState) else None
        return {
            "sessionId": summary.id,
            "title": summary.title,
            "createdAt": summary.created_at,
            "updatedAt": summary.updated_at,
            "state": "corrupt" if state is None else _state(state),
            "usage": usage_info(state, None, None, None),
            "path": str(summary.path),
        }


@asynccontextmanager
async def _closed_if_cut_short(store: SessionStore) -> AsyncIterator[None]:
    try:
        yield
    except BaseException:
        await store.close()
        raise


def _state(state: SessionState) -> str:
    return "idle" if isinstance(state.operation, Idle) else "unfinished"
