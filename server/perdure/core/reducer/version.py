"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "eff362b2f9978cdd2134e83f10b8623c"
"""Changes with every change of the reducer, or of what it imports of the core."""
