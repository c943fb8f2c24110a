"""Markers that tie tests to the requirements and to the hazards, and how properties are tried."""

from __future__ import annotations

import pytest
from hypothesis import settings

# How long an example takes depends on what else the machine does.
settings.register_profile("perdure", deadline=None)
settings.load_profile("perdure")


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    config.addinivalue_line("markers", "requirement(*rows): rows of the requirements checked here")
    config.addinivalue_line("markers", "hazard(words): the hazard that this test guards")
