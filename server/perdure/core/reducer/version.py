"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "28ce031e8981a4725835487a5a85a937"
"""Changes with every change of the reducer, or of what it imports of the core."""
