"""A workspace folder: how clients name it, where it is, and whose effects run there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Folder:
    """``root`` is the canonical real path; ``environment_identity`` see section 16."""

    uri: str
    root: Path
    environment_identity: str
