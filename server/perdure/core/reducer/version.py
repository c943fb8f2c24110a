"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "535022241d5ea704920e2d5c2ef9b059"
"""Changes with every change of the reducer, or of what it imports of the core."""
