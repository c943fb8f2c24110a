"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "ca9883241ebbee0a6a086809e2267f7c"
"""Changes with every change of the reducer, or of what it imports of the core."""
