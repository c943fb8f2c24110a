"""The built-in ``bash``: one command in a shell of its own."""

from __future__ import annotations

import asyncio
import os
import shutil
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from pathlib import Path

from perdure.core.declarations import ToolDeclaration, ToolDefinition
from perdure.core.text import without_lone_surrogates
from perdure.json_types import JsonObject
from perdure.tools.base import Preview, ToolContext, ToolResult
from perdure.tools.bash_result import bash_result
from perdure.tools.builtin import BuiltinTool
from perdure.tools.environment import without_secrets
from perdure.tools.job_files import Job, job_files
from perdure.tools.jobs import sweep
from perdure.tools.sandbox import Sandbox
from perdure.tools.supervised import run
from perdure.tools.supervisors import Supervisors

DEFAULT_TIMEOUT_SECONDS = 120

_DEFINITION = ToolDefinition(
    name="bash",
    description=(
        "Run a bash command in the workspace. Returns stdout then stderr, cut to the last 2,000 "
        "lines or 50KB; the complete output is then stored in a file that is named. Commands "
        "read nothing from stdin. Timeout in seconds, default 120."
    ),
    parameters={
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "Command to run"},
            "timeout": {
                "type": "number",
                "exclusiveMinimum": 0,
                "description": "Seconds after which the command is killed, default 120",
            },
        },
        "required": ["command"],
        "additionalProperties": False,
    },
)


class BashTool(BuiltinTool):
    """Runs commands under supervision: none outlives what the user allowed."""

    __slots__ = ("_sandbox", "_secret_names", "_supervisors")

    definition = _DEFINITION
    subject = "command"

    def __init__(
        self,
        secret_names: frozenset[str],
        sandbox: Sandbox | None = None,
        supervisors: Supervisors | None = None,
    ) -> None:
        """``secret_names`` are environment variables that no command may see.

        ``supervisors`` is for commands that follow each other; without it each has its own.
        """
        self._secret_names = secret_names
        self._sandbox = sandbox
        self._supervisors = supervisors

    @property
    def declaration(self) -> ToolDeclaration:
        """Definition and replay policy; that there is a sandbox is part of the definition."""
        declaration = super().declaration
        if self._sandbox is None:
            return declaration
        description = f"{_DEFINITION.description} {self._sandbox.description}"
        return replace(declaration, definition=replace(_DEFINITION, description=description))

    def validate(self, arguments: JsonObject) -> str | None:
        """See ``Tool``."""
        problem = super().validate(arguments)
        if problem is None and "\0" in str(arguments["command"]):
            return "command must not contain NUL characters."
        return problem

    async def show(self, arguments: JsonObject, root: Path) -> Preview:
        """See ``BuiltinTool``."""
        return Preview(command=str(arguments["command"]))

    async def perform(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See ``BuiltinTool``. Cancelling ends the command and everything that it started."""
        files = job_files(context.data, context.tool_started_id)
        job = Job(
            command=without_lone_surrogates(str(arguments["command"])),
            keep_running=context.keep_running,
            timeout_seconds=_timeout(arguments),
        )
        shell = [shutil.which("bash") or "/bin/sh"]
        if self._sandbox is not None:
            shell = [*await self._sandbox.wrapper(context.root), *shell]
        sweep(context.data)
        with self._lent_supervisors() as supervisors:
            finished = await run(
                files,
                job,
                shell=shell,
                environment=without_secrets(os.environ, self._secret_names),
                ends=supervisors.start(context.root),
                on_output=context.on_output,
            )
        return await asyncio.to_thread(bash_result, finished, files, context.data)

    def _lent_supervisors(self) -> AbstractContextManager[Supervisors]:
        return (
            closing(Supervisors()) if self._supervisors is None else nullcontext(self._supervisors)
        )


def _timeout(arguments: JsonObject) -> float:
    seconds = arguments.get("timeout")
    return seconds if isinstance(seconds, int | float) else DEFAULT_TIMEOUT_SECONDS
