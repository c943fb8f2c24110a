"""Which core this is. Written by ``python -m tests.support.reducer_version``."""

from __future__ import annotations

REDUCER_VERSION = "7c73da7367e68d5d444ff4af4bea3bdc"
"""Changes with every change of the code in ``perdure.core``."""
