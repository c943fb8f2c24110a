"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "159d7acbcc3e3b0c4945cb09a1229d1d"
"""Changes with every change of the reducer, or of what it imports of the core."""
