"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "4a9cb3838f418cb655040f2997682e88"
"""Changes with every change of the reducer, or of what it imports of the core."""
