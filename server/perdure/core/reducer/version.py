"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "fcecafb81d6a50c691b7fd5edcf97a55"
"""Changes with every change of the reducer, or of what it imports of the core."""
