"""``perdure.changes`` and ``perdure.undo``."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from perdure.agent.changes import Change, Changes, changes_in, happened, hash_now, states
from perdure.agent.chosen_tools import directories_of
from perdure.agent.diffs import unified
from perdure.agent.parts import Parts
from perdure.agent.session_facts import facts_in
from perdure.agent.undo import FileUndo, file_undo, perform, relative
from perdure.errors import CommandError
from perdure.protocol.changes import (
    ChangesArguments,
    ChangesResult,
    CommandRun,
    FileChange,
    UndoArguments,
    UndoOutcome,
    UndoResult,
)
from perdure.store.follow import inspect
from perdure.store.places import data_path
from perdure.store.repair import corruption_error
from perdure.store.verdict import Damaged
from perdure.tools.images import Image, kept_content

UNTRUSTED = (
    "The workspace is not trusted, so Perdure only reads in it: trust it first, then undo the run."
)
BINARY = "(no text)\n"


@dataclass(frozen=True, slots=True)
class _Undo:
    """What undoing one run means."""

    operation_id: str | None
    data: Path
    files: list[FileUndo]
    commands: list[CommandRun]

    @property
    def possible(self) -> int:
        """How many files would change."""
        return sum(file.outcome in ("restored", "removed") for file in self.files)


class UndoCommands:
    """Serves one folder; ``commands`` is its command lock."""

    def __init__(self, parts: Parts) -> None:
        self._commands = parts.commands
        self._folder = parts.folder
        self._desk = parts.desk
        self._access = parts.access
        self._host = parts.host

    async def changes(self, arguments: ChangesArguments) -> ChangesResult:
        """List what the session, or one run of it, changed."""
        path = await self._path(arguments.get("sessionId"))
        return await asyncio.to_thread(self._changes, path, arguments.get("operationId"))

    async def undo(self, arguments: UndoArguments) -> UndoResult:
        """Undo a run, the last one unless another is named, if the user agrees.

        Raises ``CommandError`` ``busy`` while an operation is unfinished, and where the workspace
        is not trusted; ``StoreError``. While the question is open, other commands go on.
        """
        self._require_trust()
        async with self._commands:
            plan = await self._plan(arguments)
        if plan.possible and not arguments.get("confirmed", False) and not await self._agreed(plan):
            return _result("kept", plan)
        async with self._commands:
            self._require_trust()
            plan = await self._plan(arguments)
            result = _result("undone" if plan.possible else "nothing", plan)
            for file in plan.files:
                undone = await asyncio.to_thread(
                    perform,
                    file,
                    root=self._folder.root,
                    data=plan.data,
                    directories=directories_of(self._desk.settings),
                )
                result["files"].append(undone)
        return result

    def _require_trust(self) -> None:
        if not self._desk.settings.trusted:
            raise CommandError(UNTRUSTED)

    async def _plan(self, arguments: UndoArguments) -> _Undo:
        self._access.require_finished()
        path = await self._path(arguments.get("sessionId"))
        await self._access.require_idle(path)
        plan = await asyncio.to_thread(self._planned, path, arguments.get("operationId"))
        return replace(plan, files=[await self._unless_unsaved(file) for file in plan.files])

    async def _unless_unsaved(self, file: FileUndo) -> FileUndo:
        """Leave a file alone that has unsaved changes in the editor."""
        if await self._host.buffer(file.path) is None:
            return file
        return replace(file, outcome="changedSince")

    async def _path(self, session_id: str | None) -> Path:
        state = self._desk.state
        wanted = session_id or (state.header.id if state else None)
        if wanted is None:
            raise CommandError("The folder has no session yet.", code="not_found")
        return await asyncio.to_thread(self._desk.sessions.catalog.find, wanted)

    def _changes(self, path: Path, operation_id: str | None) -> ChangesResult:
        found = self._changes_in(path)
        return {
            "changes": [
                change
                for file, changes in found.files.items()
                for change in self._described(file, changes, data_path(path))
                if operation_id in (None, change["operationId"])
            ],
            "commands": _commands_of(found, operation_id),
        }

    def _described(self, file: Path, changes: Sequence[Change], data: Path) -> Iterator[FileChange]:
        name = relative(file, self._folder.root)
        now = hash_now(file)
        changes = happened(changes, now)
        for change, state in zip(changes, states(changes, now), strict=True):
            yield FileChange(
                path=name,
                kind="created" if change.image.before is None else "modified",
                operationId=change.operation_id,
                toolCallId=change.tool_call_id,
                diff=_diff(change.image, name, data),
                state=state,
            )

    def _planned(self, path: Path, operation_id: str | None) -> _Undo:
        found = self._changes_in(path)
        wanted = operation_id or found.last_run
        files = []
        for file, changes in found.files.items():
            now = hash_now(file)
            own = [c for c in happened(changes, now) if c.operation_id == wanted]
            if own:
                files.append(file_undo(own, now))
        return _Undo(wanted, data_path(path), files, _commands_of(found, wanted))

    def _changes_in(self, path: Path) -> Changes:
        data, verdict = inspect(path)
        if isinstance(verdict, Damaged):
            raise corruption_error(path, data, verdict)
        state = verdict.ledger.state
        if state.header.environment_identity != self._folder.environment_identity:
            raise CommandError("The session belongs to another environment; its files are there.")
        committed = data[data.find(b"\n") + 1 : state.repaired_length]
        transactions = (facts_in(line + b"\n") for line in committed.split(b"\n")[:-1])
        return changes_in(transactions, data_path(path))

    async def _agreed(self, plan: _Undo) -> bool:
        sentences = [f"Undo the run? Files that become what they were: {plan.possible}."]
        kept = sum(file.outcome == "changedSince" for file in plan.files)
        if kept:
            sentences.append(f"Changed since, and left alone: {kept}.")
        if plan.commands:
            sentences.append(f"Commands, which cannot be undone: {len(plan.commands)}.")
        return await self._host.ask(" ".join(sentences), ["Undo", "Keep"]) == "Undo"


def _commands_of(found: Changes, operation_id: str | None) -> list[CommandRun]:
    return [c for c in found.commands if operation_id in (None, c["operationId"])]


def _result(outcome: UndoOutcome, plan: _Undo) -> UndoResult:
    result: UndoResult = {"outcome": outcome, "files": [], "commands": plan.commands}
    if plan.operation_id is not None:
        result["operationId"] = plan.operation_id
    return result


def _diff(image: Image, name: str, data: Path) -> str:
    """Return the unified diff of a call, empty where the contents are not kept."""
    before = b"" if image.before is None else kept_content(data, image.before)
    after = kept_content(data, image.after)
    if before is None or after is None:
        return ""
    try:
        old, new = before.decode(), after.decode()
    except UnicodeDecodeError:
        return BINARY
    origin = "/dev/null" if image.before is None else f"a/{name}"
    return unified(old, new, old=origin, new=f"b/{name}")
