"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "a6ffb0061fbc532fdac726456474f160"
"""Changes with every change of the reducer, or of what it imports of the core."""
