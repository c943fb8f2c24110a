"""The names under which a model sees the tools of MCP servers (section 24).

``mcp__<base64url of the server's name>__<base64url of the tool's name>``, without padding: any
name can be carried, no two meet, and what stands behind one can be read back.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

from perdure.mcp.errors import McpError

MAX_NAME = 64
_PREFIX = "mcp__"
_SEPARATOR = "__"


def tool_name(server: str, tool: str) -> str:
    """Return the model-facing name. Raises ``McpError`` for one that is too long."""
    name = f"{_PREFIX}{_encoded(server)}{_SEPARATOR}{_encoded(tool)}"
    if len(name) > MAX_NAME:
        raise McpError("its name is too long; with a shorter name of the server it may fit")
    return name


def shown_name(server: str, tool: str) -> str:
    """Return what people see."""
    return f"mcp:{server}/{tool}"


def readable(name: str) -> str:
    """Return what people see instead of a model-facing name; other names stay as they are."""
    if not name.startswith(_PREFIX):
        return name
    rest = name.removeprefix(_PREFIX)
    for place in range(1, len(rest) - len(_SEPARATOR)):
        if rest.startswith(_SEPARATOR, place):
            server, tool = rest[:place], rest[place + len(_SEPARATOR) :]
            decoded = _decoded(server), _decoded(tool)
            if decoded[0] and decoded[1]:
                return shown_name(decoded[0], decoded[1])
    return name


def _encoded(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decoded(text: str) -> str | None:
    """Return the text that ``_encoded`` makes exactly this of, None where there is none."""
    padded = text + "=" * (-len(text) % 4)
    try:
        decoded = urlsafe_b64decode(padded).decode()
    except ValueError:
        return None
    return decoded if _encoded(decoded) == text else None
