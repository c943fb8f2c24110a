"""The one error of this package."""

from __future__ import annotations

from perdure.errors import PerdureError


class McpError(PerdureError):
    """A server cannot be used; the words follow its name: "needs a command or a url"."""

    code = "mcp_failed"
