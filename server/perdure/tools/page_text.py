"""The readable text of an HTML page, in the manner of Markdown. Standard library only."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_HIDDEN = frozenset({"script", "style", "noscript", "template", "svg", "iframe", "object"})
_BLOCKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "dd", "details", "div", "dl", "dt"),
        *("fieldset", "figure", "footer", "form", "header", "hr", "li", "main", "nav", "ol", "p"),
        *("pre", "section", "summary", "table", "title", "tr", "ul"),
    }
)
_HEADINGS = {f"h{level}": f"{'#' * level} " for level in range(1, 7)}


def page_text(html: str) -> str:
    """Return the text: headings with #, items with -, addresses of links in parentheses."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.text()


class _Reader(HTMLParser):
    """Collects text; what is hidden by its element is left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._pieces: list[str] = []
        self._hidden = 0
        self._preformatted = 0
        self._links: list[str] = []

    def text(self) -> str:
        """Return what was collected, with at most one empty line between blocks."""
        lines = (line.rstrip() for line in "".join(self._pieces).split("\n"))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See ``HTMLParser``."""
        if tag in _HIDDEN:
            self._hidden += 1
        elif tag in _HEADINGS:
            self._pieces.append(f"\n\n{_HEADINGS[tag]}")
        elif tag == "li":
            self._pieces.append("\n- ")
        elif tag == "br":
            self._pieces.append("\n")
        elif tag in ("td", "th"):
            self._pieces.append("\t")
        elif tag == "a":
            self._links.append(dict(attrs).get("href") or "")
        elif tag in _BLOCKS:
            self._preformatted += tag == "pre"
            self._pieces.append("\n" if tag == "tr" else "\n\n")

    def handle_endtag(self, tag: str) -> None:
        """See ``HTMLParser``."""
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag == "a" and self._links:
            target = self._links.pop()
            if target and not target.startswith(("#", "javascript:")):
                self._pieces.append(f" ({target})")
        elif tag in _HEADINGS or (tag in _BLOCKS and tag not in ("li", "tr")):
            self._preformatted = max(0, self._preformatted - (tag == "pre"))
            self._pieces.append("\n\n")

    def handle_data(self, data: str) -> None:
        """See ``HTMLParser``."""
        if self._hidden:
            return
        if self._preformatted:
            self._pieces.append(data)
            return
        flat = re.sub(r"\s+", " ", data)
        if not self._pieces or self._pieces[-1].endswith(("\n", " ", "\t")):
            flat = flat.lstrip(" ")
        self._pieces.append(flat)
