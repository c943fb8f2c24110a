"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "b28c7f3c73af9c9026ff735431d86013"
"""Changes with every change of the reducer, or of what it imports of the core."""
