"""Where a model is served: the base URL, taken apart once."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, replace
from urllib.parse import SplitResult, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class BaseUrl:
    """A base URL in its normal form.

    ``authority`` is the lower-case host with its port when that is not the scheme's own;
    ``path`` has no trailing slash and no ``/chat/completions``; ``query`` is what was given.
    """

    scheme: str
    authority: str
    path: str
    query: str

    @property
    def host(self) -> str:
        """Host name or address, without brackets."""
        return urlsplit(f"//{self.authority}").hostname or ""

    @property
    def port(self) -> int:
        """The port, also when it is the scheme's own."""
        return urlsplit(f"//{self.authority}").port or _DEFAULT_PORTS[self.scheme]

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine, so that it needs no key."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def routing(self, model: str) -> str:
        """Return the routing identity."""
        return f"{self.authority}{self.path}:{model}"

    def url(self, suffix: str) -> str:
        """Return the URL of one resource, for example ``/chat/completions``."""
        query = f"?{self.query}" if self.query else ""
        return f"{self.scheme}://{self.authority}{self.path}{suffix}{query}"


def parse_base_url(text: str) -> BaseUrl | None:
    """Return the parts of an http or https URL, None when it is not one or holds a password."""
    try:
        parts = urlsplit(text.strip())
        authority = _authority(parts)
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or "@" in parts.netloc:
        return None
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    return BaseUrl(parts.scheme, authority, path, parts.query)


def without_version(base_url: BaseUrl) -> BaseUrl:
    """Return the base URL without the ``/v1`` that those of OpenAI-compatible servers have."""
    return replace(base_url, path=base_url.path.removesuffix("/v1/messages").removesuffix("/v1"))


def _authority(parts: SplitResult) -> str:
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    if parts.port is None or parts.port == _DEFAULT_PORTS.get(parts.scheme):
        return host
    return f"{host}:{parts.port}"
