"""Files that usually hold credentials, known by their names: reading them is asked about.

A search passes them over: that a pattern is found in such a file would tell what is in it.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

SECRET_NAMES = (
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
"""Patterns of names, to be compared in lower case."""


def is_secret(path: Path) -> bool:
    """Whether the name of the file at the real path ``path`` is one of these."""
    name = path.name.casefold()
    return any(fnmatchcase(name, pattern) for pattern in SECRET_NAMES)
