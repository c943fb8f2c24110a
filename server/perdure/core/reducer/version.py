"""Which reducer this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "3fc3fcbe5113d234545383bf3f8eb619"
"""Changes with every change of the reducer, or of what it imports of the core."""
