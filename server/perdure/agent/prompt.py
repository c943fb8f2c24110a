"""The system prompt: base text, the workspace's own instructions, the list of skills.

It holds no absolute path, no date and nothing that changes from run to run, because the whole
text is part of the configuration identity: when it changes, an interrupted run is blocked.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from perdure.agent.context.instructions import instructions_in
from perdure.agent.context.skills import Skill

BASE = """\
You are Perdure, a coding agent that works inside the user's editor, in one workspace folder.

All paths are relative to the workspace folder, which is also the working directory of commands.
Use only the tools of this request: {tools}. If something you need has no tool, say what is
missing instead of calling a tool that is not there.

Work in small steps: look before you change, change as little as the task needs, then check what
you did. A result that says the operation was interrupted means that it is not known whether the
effect happened: find out before you repeat it. When the task is done, answer in a few sentences.
"""

MASKING = """
Secrets in the results of tools are masked: [masked: …] stands where one was. Never write such a
mark into a file, and do not try to find out what it stands for.
"""

_SKILLS = """
<available_skills>
{skills}
</available_skills>

A skill is a set of instructions for one kind of work. When a task fits a description, read the
skill's file at its location before you begin; what it names is relative to its own folder.
"""


def system_prompt(
    root: Path,
    tool_names: Sequence[str],
    *,
    skills: Sequence[Skill] = (),
    masked: bool = False,
    instructed: bool = True,
) -> str:
    """Return the system prompt of a workspace; reads the root's instructions, if there are any.

    ``root`` is canonical. Skills are named where ``read`` is one of the tools. ``masked`` says
    that secrets in the results of tools are (see ``says_masked``). Without ``instructed`` the
    root's instructions are not read.
    """
    parts = [BASE.format(tools=", ".join(tool_names) or "none")]
    if masked:
        parts.append(MASKING)
    instructions = instructions_in("", root=root) if instructed else None
    if instructions is not None:
        parts.append(
            "\n<project_context>\n"
            f'<project_instructions path="{instructions.path}">\n{instructions.text}\n'
            "</project_instructions>\n</project_context>\n"
        )
    if "read" in tool_names:
        parts.append(_SKILLS.format(skills="\n".join(map(_described, skills)) or "(none)"))
    return "".join(parts)


def says_masked(prompt: str) -> bool:
    """Whether a system prompt announces masks: then, and only then, secrets are masked.

    So the setting is part of the configuration identity, also of a recorded one.
    """
    base, _, _ = prompt.partition("\n<project_context>\n")
    return MASKING in base


def _described(skill: Skill) -> str:
    return (
        f"<skill>\n<name>{_inert(skill.name)}</name>\n"
        f"<description>{_inert(skill.description)}</description>\n"
        f"<location>{_inert(skill.location)}</location>\n</skill>"
    )


def _inert(text: str) -> str:
    return escape(text, quote=False)
