"""What the user has configured of one MCP server, and whether it can be used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

from perdure.mcp.errors import McpError
from perdure.tools.approval import Policy

CALL_SECONDS = 30.0
"""How long a call may take where the settings do not say otherwise (section 24)."""

Pairs: TypeAlias = tuple[tuple[str, str], ...]

SHORTEST_SECRET = 8

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """One server: a ``command`` that speaks on stdio, or a ``url`` (streamable HTTP).

    ``approval`` is what happens before one of its tools runs, unless the user has allowed it.
    Values of ``env`` and ``headers`` may name variables of the environment as ``${NAME}``.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Pairs = ()
    cwd: str = ""
    url: str = ""
    headers: Pairs = ()
    timeout_seconds: float = CALL_SECONDS
    approval: Policy = "ask"


def check(spec: ServerSpec) -> None:
    """Raise ``McpError`` for a server that cannot be used as it is configured (section 24)."""
    if bool(spec.command) == bool(spec.url):
        raise McpError("needs either a command or a url")
    if any("\0" in text for text in (spec.command, *spec.args, spec.cwd)):
        raise McpError("its command must not contain NUL characters")
    if spec.url:
        _check_url(spec.url)


class Secrets:
    """What must not be shown of a server: the variables that its settings name, and its headers.

    What is shorter than ``SHORTEST_SECRET`` is none, since it may be a word like any other.
    """

    def __init__(self, spec: ServerSpec, environ: Mapping[str, str]) -> None:
        texts = [value for _, value in (*spec.env, *spec.headers)]
        named = [environ.get(name, "") for text in texts for name in _VARIABLE.findall(text)]
        headers = [_VARIABLE.sub("", value) for _, value in spec.headers]
        found = {text for text in (*named, *headers) if len(text) >= SHORTEST_SECRET}
        self._secrets = sorted(found, key=len, reverse=True)

    def hidden(self, text: str) -> str:
        """Return ``text`` without them."""
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        return text


def expanded(values: Pairs, environ: Mapping[str, str]) -> dict[str, str]:
    """Return ``values`` with each ``${NAME}`` replaced. Raises ``McpError`` for one not set."""

    def value_of(match: re.Match[str]) -> str:
        value = environ.get(match[1])
        if value is None:
            raise McpError(f"the environment variable {match[1]} is not set")
        return value

    return {name: _VARIABLE.sub(value_of, value) for name, value in values}


def is_loopback(url: str) -> bool:
    """Whether a url leads to this machine."""
    return urlsplit(url).hostname in _LOOPBACK


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        raise McpError("its url is not valid") from None
    if parts.username is not None or parts.password is not None:
        raise McpError("its url must not contain credentials; use headers")
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(url))):
        raise McpError("its url must be https, or http on this machine")
