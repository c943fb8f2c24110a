"""Files that usually hold credentials, known by their names: reading them is asked about.

A search passes them over: that a pattern is found in such a file would tell what is in it.
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cache
from pathlib import Path

from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.tools.workspace import real_path, shown

_NAMES = (
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "credentials",
    "credentials.json",
    "service-account*.json",
    ".git-credentials",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".dockercfg",
    ".s3cfg",
    "*.tfstate",
    "*.tfvars",
)
_COPIES = ("~", ".bak", ".backup", ".old", ".orig", ".save", ".swp")

SECRET_NAMES = (
    *_NAMES,
    *(f"{name}{ending}" for name in _NAMES for ending in _COPIES),
    *(f".{name}.swp" for name in _NAMES),
)
"""Patterns of names, to be compared in lower case: also of the copies that editors leave."""

OPENING = ("read", "write", "edit")
"""The tools that open the file which a call names."""


def is_secret(path: Path) -> bool:
    """Whether the name of the file at the real path ``path`` is one of these."""
    return _secret_name().fullmatch(path.name.casefold()) is not None


def secret_of(tool_name: str, arguments: JsonObject, root: Path) -> str | None:
    """Return the file that a call opens, if its name, or that of a link's target, is such a one.

    ``root`` is the real path of the workspace; the answer is the path as the model knows it.
    """
    path = arguments.get("path")
    if tool_name not in OPENING or not isinstance(path, str):
        return None
    try:
        real = real_path(path, root)
    except ToolError:
        return None
    return shown(real, root) if is_secret(real) or is_secret(Path(path)) else None


@cache
def _secret_name() -> re.Pattern[str]:
    """One pattern is compared in a hundredth of the time that all of them take."""
    return re.compile("|".join(map(translate, SECRET_NAMES)))
