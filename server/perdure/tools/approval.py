"""Which calls may run without asking, which are asked about and which are refused.

A pure policy over the settings (``approval``: ask | allow | deny per tool) and what the user has
allowed before. Reads inside the workspace are free; a tool without a setting is asked about.

What was allowed for a workspace stands in a JSON file, a list of texts that the user may edit:
``write``, or ``bash:npm test`` for one command. The chain ``a && b`` needs ``bash:a`` and
``bash:b``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from perdure.json_types import JsonObject
from perdure.tools.own_files import read_own, write_own
from perdure.tools.shell_parts import parts

Policy: TypeAlias = Literal["ask", "allow", "deny"]


def decide(
    tool_name: str,
    arguments: JsonObject,
    *,
    policy: Mapping[str, Policy],
    allowances: Collection[str] = (),
) -> Policy:
    """Return whether the call may run, is refused, or must be asked about.

    ``allowances`` are keys that the user allowed for this session or workspace. A ``deny`` of
    the settings is stronger than any of them.
    """
    default: Policy = "allow" if tool_name == "read" else "ask"
    setting = policy.get(tool_name, default)
    if setting == "ask" and allowances_for(tool_name, arguments) <= frozenset(allowances):
        return "allow"
    return setting


def allowances_for(tool_name: str, arguments: JsonObject) -> frozenset[str]:
    """Return the keys that cover the call together: one for each part of a command, or the tool.

    They are what an answer "allow for this session" adds.
    """
    if tool_name == "bash":
        return frozenset(f"bash:{part}" for part in parts(str(arguments.get("command", ""))))
    return frozenset({tool_name})


def load_allowances(path: Path) -> frozenset[str]:
    """Return the keys remembered in a file; none when it is absent, unreadable or damaged."""
    return _keys_in(path) or frozenset()


def remember_allowances(path: Path, keys: Collection[str]) -> None:
    """Add keys to the file, atomically; the file is readable by the user only.

    One that is damaged is kept beside it under another name. Raises OSError.
    """
    known = _keys_in(path)
    if known is None and path.exists():
        path.replace(path.with_name(f"{path.stem}.damaged{path.suffix}"))
    write_own(path, json.dumps(sorted((known or frozenset()).union(keys)), indent=1).encode())


def _keys_in(path: Path) -> frozenset[str] | None:
    """Return the texts of the list in the file; None where there is no such list."""
    try:
        keys = json.loads(read_own(path))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(keys, list):
        return None
    return frozenset(key for key in keys if isinstance(key, str))
