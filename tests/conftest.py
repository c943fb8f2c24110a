"""Markers that tie tests to the requirements and to the hazards."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    config.addinivalue_line("markers", "requirement(*rows): rows of the requirements checked here")
    config.addinivalue_line("markers", "hazard(words): the hazard that this test guards")
