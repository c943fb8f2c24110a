"""Addresses of pages, as far as they can be judged without asking anybody."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from perdure.errors import ToolError

_PORTS = {"http": 80, "https": 443}


def checked_url(url: str) -> SplitResult:
    """Return the parts of an address of http or https. Raises ToolError for any other."""
    if any(character <= " " or character in "\x7f\\" for character in url):
        raise ToolError("url must not contain blanks, backslashes or control characters.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ToolError(f"url is not an address: {error}.") from error
    if parts.scheme not in _PORTS:
        raise ToolError("url must begin with http:// or https://.")
    if not parts.hostname or port == 0:
        raise ToolError("url names no host.")
    if parts.username is not None or parts.password is not None:
        raise ToolError("url must not contain a user or password.")
    return parts


def port_of(parts: SplitResult) -> int:
    """Return the port that is meant."""
    return parts.port or _PORTS[parts.scheme]


def origin_of(url: str) -> str:
    """Return scheme, host and port, by which a user allows an address; ``url`` if it has none."""
    try:
        parts = checked_url(url)
    except ToolError:
        return url
    port = port_of(parts)
    host = f"[{parts.hostname}]" if ":" in str(parts.hostname) else parts.hostname
    standard = port == _PORTS[parts.scheme]
    return f"{parts.scheme}://{host}" if standard else f"{parts.scheme}://{host}:{port}"
