"""Entry point of the ``perdure`` command."""

from __future__ import annotations


def main() -> int:
    """Run the command line."""
    raise NotImplementedError
