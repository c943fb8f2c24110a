"""The system prompt: base text and the workspace's own AGENTS.md.

It holds no absolute path, no date and nothing that changes from run to run, because the whole
text is part of the configuration identity: when it changes, an interrupted run is blocked.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from perdure.errors import ToolError
from perdure.tools.files import DiskFiles, content_if_present
from perdure.tools.workspace import contained

AGENTS_FILE = "AGENTS.md"

BASE = """\
You are Perdure, a coding agent that works inside the user's editor, in one workspace folder.

All paths are relative to the workspace folder, which is also the working directory of commands.
Use only the tools of this request: {tools}. If something you need has no tool, say what is
missing instead of calling a tool that is not there.

Work in small steps: look before you change, change as little as the task needs, then check what
you did. A result that says the operation was interrupted means that it is not known whether the
effect happened: find out before you repeat it. When the task is done, answer in a few sentences.
"""


def system_prompt(root: Path, tool_names: Sequence[str]) -> str:
    """Return the system prompt of a workspace; reads the root's ``AGENTS.md``, if there is one.

    ``root`` is canonical. What is no regular file, leads out of the workspace or is larger
    than ``MAX_WHOLE_FILE`` is no ``AGENTS.md``.
    """
    base = BASE.format(tools=", ".join(tool_names) or "none")
    instructions = _instructions(root)
    if instructions is None:
        return base
    return (
        f"{base}\n<project_context>\n"
        f'<project_instructions path="{AGENTS_FILE}">\n{instructions}\n'
        "</project_instructions>\n</project_context>\n"
    )


def _instructions(root: Path) -> str | None:
    try:
        path = contained(AGENTS_FILE, root=root)
        content = content_if_present(DiskFiles(), path)
    except (OSError, ToolError):
        return None
    return None if content is None else content.decode("utf-8", "replace")
