"""Which calls may run without asking, which are asked about and which are refused.

A pure policy over the settings (``approval``: ask | allow | deny per tool) and what the user has
allowed before. Looking at the workspace is free, but for files that usually hold credentials; any
other tool without a setting is asked about.

What was allowed for a workspace stands in a JSON file, a list of texts that the user may edit:
``write``, or ``bash:npm test`` for one command, ``fetch:https://example.org`` for one host and
``read:.env`` for one file. The chain ``a && b`` needs ``bash:a`` and ``bash:b``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from perdure.json_types import JsonObject
from perdure.tools.own_files import read_own, write_own
from perdure.tools.shell_parts import parts
from perdure.tools.urls import origin_of

Policy: TypeAlias = Literal["ask", "allow", "deny"]

FREE = frozenset({"read", "grep", "glob", "list", "diagnostics"})
"""Tools that only look at the workspace: without a setting they are not asked about."""


def decide(
    tool_name: str,
    arguments: JsonObject,
    *,
    policy: Mapping[str, Policy],
    allowances: Collection[str] = (),
    sensitive: str | None = None,
) -> Policy:
    """Return whether the call may run, is refused, or must be asked about.

    ``allowances`` are keys that the user allowed for this session or workspace. A ``deny`` of
    the settings is stronger than any of them. ``sensitive`` is the file of the call if it is one
    that usually holds credentials: that the tool may run does not cover it.
    """
    setting = policy.get(tool_name, "allow" if tool_name in FREE else "ask")
    if setting == "deny" or (setting == "allow" and sensitive is None):
        return setting
    needed = allowances_for(tool_name, arguments, sensitive=sensitive)
    return "allow" if needed <= frozenset(allowances) else "ask"


def allowances_for(
    tool_name: str, arguments: JsonObject, *, sensitive: str | None = None
) -> frozenset[str]:
    """Return the keys that cover the call together, usually the name of its tool.

    For a command they are one for each of its parts, for a page its host, for a file that usually
    holds credentials that file. They are what an answer "allow for this session" adds.
    """
    if sensitive is not None:
        return frozenset({f"{tool_name}:{sensitive}"})
    if tool_name == "bash":
        return frozenset(f"bash:{part}" for part in parts(str(arguments.get("command", ""))))
    if tool_name == "fetch":
        return frozenset({f"fetch:{origin_of(str(arguments.get('url', '')))}"})
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
