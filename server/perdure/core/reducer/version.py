"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "6a2ef1aa600bcb52bcb62b7cba6db82a"
"""Changes with every change of the reducer, or of what it imports of the core."""
