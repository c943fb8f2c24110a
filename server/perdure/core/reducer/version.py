"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "25645815093694b02bbbfd9df0ace99d"
"""Changes with every change of the reducer, or of what it imports of the core."""
