"""What tests of editors need installed."""

from __future__ import annotations

import os

import pytest


def need(present: object, what_to_do: str) -> None:
    """Skip without a tool; with ``CI=true`` fail."""
    if not present and os.environ.get("CI") == "true":
        pytest.fail(what_to_do)
    if not present:
        pytest.skip(what_to_do)
