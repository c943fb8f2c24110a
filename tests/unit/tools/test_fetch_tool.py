"""``fetch``: real pages from a server on loopback, and every address that it must not reach."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import TypeAlias

import pytest
from tests.support.loopback import LoopbackServer, Silent
from tests.unit.tools.bench import Bench
from tests.unit.tools.living import eventually

from perdure.tools.fetch import MOST_BYTES, FetchTool
from perdure.tools.fetch_program import is_of_site, is_public
from perdure.tools.page_text import page_text
from perdure.tools.registry import builtin_tools
from perdure.tools.urls import checked_url

Answer: TypeAlias = tuple[int, dict[str, str], bytes]

HTML = b"""<!doctype html><html><head><title>The &amp; title</title><style>p {}</style></head>
<body><h1>Head</h1><p>One   <b>two</b>
three.</p><ul><li>a</li><li><a href="/b">b</a></li></ul><script>alert(1)</script>
<pre>  kept
   as it is</pre><table><tr><th>x<td>y</tr></table><p hidden>end</p></body></html>"""
TEXT = """The & title

# Head

One two three.

- a
- b (/b)

  kept
   as it is

\tx\ty

end
"""


@dataclass
class Site:
    """Pages by their paths; ``requests`` are the heads of what came in."""

    port: int = 0
    pages: dict[str, Answer] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    def url(self, path: str) -> str:
        """Return the address of a page."""
        return f"http://127.0.0.1:{self.port}{path}"


@pytest.fixture
def site(bench: Bench) -> Iterator[Site]:
    """Run a server; the tools of ``bench`` may fetch from 127.0.0.1."""
    site = Site()

    class Handler(Silent, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.requests.append(f"{self.requestline}\n{self.headers}")
            if self.path == "/slow":
                server.stopping.wait(20)
            status, headers, body = site.pages.get(self.path, (404, {}, b"nothing"))
            self.send_response(status)
            for name, value in {"Content-Type": "text/plain", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    bench.tools = builtin_tools(more=[FetchTool(["127.0.0.1"])])
    with LoopbackServer(Handler) as server:
        site.port = server.server_port
        yield site


def test_it_is_not_offered_by_default() -> None:
    assert builtin_tools().get("fetch") is None


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ((200, {"Content-Type": "text/html; charset=utf-8"}, HTML), TEXT),
        ((200, {"Content-Type": "application/json"}, b'{"a": 1}'), '{"a": 1}'),
        ((200, {"Content-Type": "text/plain; charset=latin-1"}, b"\xe9"), "é"),
        ((200, {"Content-Type": "text/plain; charset=none"}, b"\xff"), "\ufffd"),
        ((200, {}, b""), "(no text)"),
    ],
    ids=["html", "json", "charset", "unknown charset", "empty"],
)
def test_the_text_of_a_page(bench: Bench, site: Site, page: Answer, text: str) -> None:
    site.pages["/page"] = page
    assert bench.ok("fetch", url=site.url("/page")) == f"{site.url('/page')} (200 OK)\n\n{text}"


def test_a_page_that_is_not_there_says_so(bench: Bench, site: Site) -> None:
    assert "(404 Not Found)\n\nnothing" in bench.ok("fetch", url=site.url("/none"))


@pytest.mark.hazard("the provider key appears in no session, log or trace")
def test_nothing_of_the_user_goes_along(
    bench: Bench, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    bench.ok("fetch", url=site.url("/a b".replace(" ", "%20") + "?q=ü#part"))
    [request] = site.requests
    assert request.startswith("GET /a%20b?q=%C3%BC HTTP/1.1\n")
    names = {line.partition(":")[0] for line in request.strip().split("\n")[1:]}
    assert names == {"Host", "User-Agent", "Accept", "Accept-Encoding"}


def test_an_address_that_a_redirect_names_does_not_make_a_result_long(
    bench: Bench, site: Site
) -> None:
    site.pages["/long"] = (302, {"Location": f"/{'a' * 50_000}"}, b"")
    said = bench.ok("fetch", url=site.url("/long"))
    assert said.endswith("… (404 Not Found)\n\nnothing")
    assert len(said) < 2_100


def test_redirects_are_followed_as_far_as_they_lead_to_pages(bench: Bench, site: Site) -> None:
    site.pages["/end"] = (200, {}, b"the end")
    site.pages["/on"] = (302, {"Location": "/end"}, b"")
    site.pages["/file"] = (302, {"Location": "file:///etc/passwd"}, b"")
    site.pages["/inside"] = (302, {"Location": f"http://localhost:{site.port}/end"}, b"")
    site.pages["/round"] = (302, {"Location": "/round"}, b"")
    assert bench.ok("fetch", url=site.url("/on")) == f"{site.url('/end')} (200 OK)\n\nthe end"
    for path, words in (
        ("/file", "must begin with http"),
        ("/inside", f"it moved to another site; what is there: http://localhost:{site.port}/end"),
        ("/round", "more than 5 redirects"),
    ):
        assert words in bench.error("fetch", url=site.url(path))


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ((200, {"Content-Type": "image/png"}, b"x"), "is no text but image/png"),
        ((200, {"Content-Encoding": "gzip"}, b"x"), "comes compressed (gzip)"),
        ((200, {"Content-Length": "99"}, b"x"), "ended before the page did"),
    ],
)
def test_what_is_no_text_is_refused(bench: Bench, site: Site, page: Answer, words: str) -> None:
    site.pages["/page"] = page
    assert words in bench.error("fetch", url=site.url("/page"))


def test_long_pages_come_in_parts(bench: Bench, site: Site) -> None:
    site.pages["/page"] = (200, {}, b"a" * (MOST_BYTES + 10))
    first = bench.ok("fetch", url=site.url("/page"))
    assert f"[Characters 0-51200 of {MOST_BYTES}. Use offset=51200 to continue.]" in first
    assert first.endswith("[The page is larger than 2 MiB; the rest was not read.]")
    last = bench.ok("fetch", url=site.url("/page"), offset=MOST_BYTES - 5)
    assert "\n\naaaaa\n\n[The page is larger" in last


def test_a_page_that_does_not_come_is_given_up_at_once(bench: Bench, site: Site) -> None:
    async def scenario() -> None:
        call = asyncio.create_task(bench.run("fetch", url=site.url("/slow")))
        assert await asyncio.to_thread(eventually, lambda: site.requests != [])
        call.cancel()
        await asyncio.wait({call}, timeout=2)
        assert call.cancelled()

    asyncio.run(scenario())


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"])
def test_private_hosts_are_refused_however_they_are_written(bench: Bench, host: str) -> None:
    bench.tools = builtin_tools(more=[FetchTool()])
    said = bench.error("fetch", url=f"http://{host}/")
    assert "is a private or local address; the user can allow it by naming it" in said


@pytest.mark.parametrize(
    ("addresses", "expected"),
    [
        ("93.184.216.34 8.8.8.8 2606:2800:220:1::1 ::ffff:8.8.8.8", True),
        ("127.0.0.1 127.9.9.9 0.0.0.0 10.1.2.3 172.16.0.1 192.168.0.1 169.254.169.254", False),
        ("100.64.0.1 192.0.2.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255", False),
        (":: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::7f00:1 fe80::1 fe80::1%eth0 fc00::1", False),
        ("ff02::1 fec0::1 2001:db8::1 64:ff9b::7f00:1 2002:7f00:1:: 2001::1", False),
    ],
)
def test_public_addresses(addresses: str, expected: bool) -> None:
    for address in addresses.split():
        assert is_public(address) == expected, address


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/",
        "gopher://example.org/",
        "//example.org/",
        "example.org",
        "http://",
        "http:///path",
        "http://user:password@example.org/",
        "http://example.org@127.0.0.1/",
        "http://example.org:0/",
        "http://example.org:99999/",
        "http://example.org/\r\nHost: other",
        "http://example.org\\@127.0.0.1/",
        "http://[::1/",
        "http://exa mple.org/",
    ],
)
def test_what_is_no_address_of_a_page_is_refused(bench: Bench, url: str) -> None:
    bench.tools = builtin_tools(more=[FetchTool()])
    assert bench.error("fetch", url=url).startswith("Error: url ")


def test_a_host_that_is_no_text_is_refused(bench: Bench) -> None:
    bench.tools = builtin_tools(more=[FetchTool()])
    assert "could not be fetched" in bench.error("fetch", url="http://\ud800/")


def test_who_is_asked_sees_the_whole_address() -> None:
    url = f"https://example.org/{'a' * 1_900}"
    assert FetchTool().title({"url": url}) == f"fetch: {url}"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a<br>b", "a\nb\n"),
        ("<script>x</script>y", "y\n"),
        ("<p>a<p>b", "a\n\nb\n"),
        ("a &lt;b&gt; &#x41;", "a <b> A\n"),
        ('<a href="#x">a</a> <a>b</a>', "a b\n"),
        ("<ul><li>a<li>b</ul>", "- a\n- b\n"),
        ("<", "<\n"),
        ("</p></script>x", "x\n"),
        ("<![CDATA[x]]>", "\n"),
    ],
)
def test_html(html: str, text: str) -> None:
    assert page_text(html) == text


@pytest.mark.parametrize(
    ("asked_for", "target", "covered"),
    [
        ("https://a.dev/x", "https://a.dev/y?z", True),
        ("http://a.dev/", "https://a.dev/", True),
        ("http://a.dev:80/", "http://A.dev/", True),
        ("https://a.dev/", "http://a.dev/", False),
        ("http://a.dev:8080/", "https://a.dev:8443/", False),
        ("http://a.dev/", "https://a.dev:8443/", False),
        ("https://a.dev/", "https://b.dev/", False),
        ("https://a.dev/", "https://www.a.dev/", False),
        ("http://localhost:3000/", "http://localhost:5432/", False),
    ],
)
def test_leave_for_a_site_covers_no_other(asked_for: str, target: str, covered: bool) -> None:
    assert is_of_site(checked_url(target), checked_url(asked_for)) == covered
