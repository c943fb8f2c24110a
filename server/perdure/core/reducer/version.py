"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "4ceafbaafeb42a9f62efb53072b381ba"
"""Changes with every change of the reducer, or of what it imports of the core."""
