"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "058de36ba0e6852439b8a6779e51420e"
"""Changes with every change of the reducer, or of what it imports of the core."""
