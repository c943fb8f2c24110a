"""Which calls may run without asking, which are asked about and which are refused.

A pure policy over the settings (``approval``: ask | allow | deny per tool) and what the user has
allowed before. Reads inside the workspace are free; a tool without a setting is asked about.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from perdure.json_types import JsonObject

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
    if setting == "ask" and allowance_key(tool_name, arguments) in allowances:
        return "allow"
    return setting


def allowance_key(tool_name: str, arguments: JsonObject) -> str:
    """Return what an answer "allow for session" covers: the exact command, or the tool."""
    if tool_name == "bash":
        return f"bash:{arguments.get('command', '')}"
    return tool_name


def load_allowances(path: Path) -> frozenset[str]:
    """Return the keys remembered in a file; none when it is absent or damaged."""
    try:
        keys = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return frozenset()
    return (
        frozenset(key for key in keys if isinstance(key, str))
        if isinstance(keys, list)
        else (frozenset())
    )


def remember_allowance(path: Path, key: str) -> None:
    """Add a key to the file, atomically; the file is readable by the user only.

    Raises OSError when it cannot be written.
    """
    keys = sorted(load_allowances(path) | {key})
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(keys, file, indent=1)
    temporary.replace(path)
