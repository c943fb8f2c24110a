"""Getting one page: a program of its own. Standard library only.

The name of a host is resolved once, and the connection is made to the very address that was
judged: a name that means something else a moment later leads nowhere. Nothing of the user goes
along: no cookie, no key, no proxy. A redirect to another site is told and not followed, because
nobody was asked about that site.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import signal
import socket
import sys
from dataclasses import asdict, dataclass
from urllib.parse import SplitResult, quote, urljoin

from perdure.errors import ToolError
from perdure.tools.page_text import page_text
from perdure.tools.urls import checked_url, port_of

_REDIRECTS = 5
_MOST_SHOWN = 1_000
_MOVED = (301, 302, 303, 307, 308)
_HEADERS = {
    "User-Agent": "perdure",
    "Accept": "text/html, text/plain, application/json, */*;q=0.5",
    "Accept-Encoding": "identity",
}
_AS_WRITTEN = "/%:=&?~+!$,;'@()*[]|"
_TEXTS = ("json", "xml", "javascript", "yaml", "toml", "x-sh", "x-www-form-urlencoded")
_UNICAST = "2000::/3"
_CARRIERS = ("2001::/32", "2002::/16")
"""Networks of IPv6 whose addresses stand for addresses of IPv4."""


@dataclass(frozen=True)
class Request:
    """The page, the hosts that may be private, and the limits. After ``seconds`` this dies."""

    url: str
    hosts: list[str]
    seconds: int
    most_bytes: int


@dataclass(frozen=True)
class Page:
    """What was got: ``text`` of at most ``most_bytes`` of the body, or why there is none."""

    url: str = ""
    status: int = 0
    reason: str = ""
    text: str = ""
    cut: bool = False
    error: str = ""


def main(text: str) -> None:
    """Write the page that the request, as JSON, asks for, as JSON."""
    request = Request(**json.loads(text))
    signal.alarm(request.seconds)
    try:
        page = _page(request)
    except (ToolError, OSError, http.client.HTTPException, ValueError) as error:
        page = Page(error=str(error) or type(error).__name__)
    sys.stdout.write(json.dumps(asdict(page)))


def is_public(text: str) -> bool:
    """Whether an address belongs to a host of the internet, and to no network of its own."""
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        elif not _within(address, _UNICAST) or any(_within(address, it) for it in _CARRIERS):
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def is_of_site(target: SplitResult, asked_for: SplitResult) -> bool:
    """Whether leave for one address covers another: the same host and port, or https instead."""
    if target.hostname != asked_for.hostname:
        return False
    ports = port_of(asked_for), port_of(target)
    return ports[0] == ports[1] or (ports == (80, 443) and target.scheme == "https")


def _within(address: ipaddress.IPv6Address, network: str) -> bool:
    return address in ipaddress.IPv6Network(network)


def _page(request: Request) -> Page:
    url = request.url
    for _ in range(_REDIRECTS + 1):
        parts = checked_url(url)
        may_be_private = parts.hostname in request.hosts
        connection = _connected(parts, request.seconds, may_be_private=may_be_private)
        try:
            connection.request("GET", _target(parts), headers=_HEADERS)
            response = connection.getresponse()
            location = response.getheader("Location")
            if response.status not in _MOVED or location is None:
                return _read(url, response, request.most_bytes)
            url = urljoin(url, location)
        finally:
            connection.close()
        if not is_of_site(checked_url(url), parts):
            raise ToolError(f"it moved to another site; what is there: {url[:_MOST_SHOWN]}")
    raise ToolError(f"more than {_REDIRECTS} redirects.")


def _target(parts: SplitResult) -> str:
    path = quote(parts.path or "/", safe=_AS_WRITTEN)
    return f"{path}?{quote(parts.query, safe=_AS_WRITTEN)}" if parts.query else path


def _connected(
    parts: SplitResult, seconds: int, *, may_be_private: bool
) -> http.client.HTTPConnection:
    """Return a connection to an address of the host that was judged."""
    host, port = str(parts.hostname), port_of(parts)
    link = _link(host, port, seconds, may_be_private=may_be_private)
    if parts.scheme == "http":
        plain = http.client.HTTPConnection(host, port)
        plain.sock = link
        return plain
    import ssl

    secure = http.client.HTTPSConnection(host, port)
    secure.sock = ssl.create_default_context().wrap_socket(link, server_hostname=host)
    return secure


def _link(host: str, port: int, seconds: int, *, may_be_private: bool) -> socket.socket:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    places = [place for place in found if may_be_private or is_public(str(place[4][0]))]
    if not places:
        raise ToolError(
            f"{host} is a private or local address; "
            "the user can allow it by naming it in tools.fetchHosts."
        )
    failure: OSError = OSError("no address")
    for family, kind, protocol, _, address in places:
        link = socket.socket(family, kind, protocol)
        link.settimeout(seconds)
        try:
            link.connect(address)
        except OSError as error:
            link.close()
            failure = error
        else:
            return link
    raise failure


def _read(url: str, response: http.client.HTTPResponse, most_bytes: int) -> Page:
    kind = response.headers.get_content_type()
    coding = response.getheader("Content-Encoding", "identity")
    if coding != "identity":
        raise ToolError(f"the page comes compressed ({coding}), although that was not asked for.")
    if not (kind.startswith("text/") or kind.endswith(_TEXTS)):
        raise ToolError(f"the page is no text but {kind}.")
    body = response.read(most_bytes + 1)
    if len(body) <= most_bytes and response.length:
        raise ToolError("the connection ended before the page did.")
    text = body[:most_bytes].decode(_charset(response), "replace")
    return Page(
        url=url,
        status=response.status,
        reason=response.reason,
        text=page_text(text) if kind.endswith("html") else text,
        cut=len(body) > most_bytes,
    )


def _charset(response: http.client.HTTPResponse) -> str:
    named = response.headers.get_content_charset("utf-8")
    try:
        "".encode(named)
    except LookupError:
        return "utf-8"
    return named
