"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "7d71421a9da39317ef77dc3788613d0a"
"""Changes with every change of the reducer, or of what it imports of the core."""
