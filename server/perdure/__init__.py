"""Perdure: a coding agent that lives inside the editor's language server."""

__version__ = "0.1.0"
