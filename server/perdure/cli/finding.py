"""What ``perdure doctor`` finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked. A ``problem`` prevents work; ``remedy`` says what to do."""

    level: Literal["ok", "note", "problem"]
    subject: str
    words: str
    remedy: str = ""
