"""The front matter of a Markdown file: the few texts that are wanted of a YAML mapping.

A strict reader of a small part of YAML: plain, quoted and block scalars at the top level. What it
does not know for certain in a wanted value (anchors, tags, lists, ``a: b`` inside of plain text)
is malformed; values that nobody asked for are skipped unread. White space is folded to single
spaces, because what is wanted here are one-line texts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

FENCE = "---"
_ENDS = frozenset({FENCE, "..."})
_KEY = re.compile(r"([A-Za-z0-9_][\w.-]*)[ ]*:(?:[ ]+(.*))?")
_BLOCK = re.compile(r"[|>](?:[+-]?[1-9]?|[1-9][+-])(?:[ ]+#.*)?")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"(?:[ ]+#.*)?')
_SINGLE = re.compile(r"'((?:[^']|'')*)'(?:[ ]+#.*)?")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "/": "/", " ": " "}
_COMMENT = re.compile(r"(?:^|[ ]+)#.*")
_NOT_PLAIN = re.compile(r"""[\[\]{}&*!|>'"%@`,#]|[-?:](?:[ ]|$)""")


class Malformed(ValueError):
    """The front matter cannot be read; the message ends a sentence that names the file."""


def front_matter(text: str, wanted: Collection[str]) -> dict[str, str]:
    """Return the ``wanted`` values that the front matter has. Raises ``Malformed``."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    found: dict[str, str] = {}
    seen = set[str]()
    for key, value in _members(_head(lines)):
        if key in seen:
            raise Malformed(f"its front matter has {key} twice")
        seen.add(key)
        if key in wanted:
            found[key] = _text(key, value)
    return found


def _head(lines: Sequence[str]) -> Sequence[str]:
    if lines[0].rstrip() != FENCE:
        raise Malformed(f"it does not begin with front matter ({FENCE})")
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() in _ENDS:
            return lines[1:number]
    raise Malformed(f"its front matter has no end ({FENCE})")


def _members(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each key with the lines of its value, the first being what follows the colon."""
    key: str | None = None
    value: list[str] = []
    for line in lines:
        if line[:1] in ("", " ", "\t", "#", "-"):
            value.append(line)
            continue
        match = _KEY.fullmatch(line.rstrip())
        if match is None:
            raise Malformed(f"its front matter has a line that is no key: {line[:40]!r}")
        if key is not None:
            yield key, value
        key, value = match[1], [match[2] or ""]
    if key is not None:
        yield key, value


def _text(key: str, value: Sequence[str]) -> str:
    head, rest = value[0].strip(), [line.strip() for line in value[1:]]
    if any(line.startswith(("-", "\t")) for line in value[1:]):
        raise Malformed(f"its {key} is no text")
    if _BLOCK.fullmatch(head):
        return _folded(rest)
    whole = _folded([head, *rest])
    if head.startswith('"'):
        return _folded([_unescaped(key, _inside(_DOUBLE, key, whole))])
    if head.startswith("'"):
        return _inside(_SINGLE, key, whole).replace("''", "'")
    return _plain(key, [head, *rest])


def _inside(quotes: re.Pattern[str], key: str, text: str) -> str:
    match = quotes.fullmatch(text)
    if match is None:
        raise Malformed(f"its {key} is not quoted properly")
    return match[1]


def _unescaped(key: str, text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        if code:
            return chr(int(code, 16))
        if match[3] not in _ESCAPED:
            raise Malformed(f"its {key} has an unknown escape")
        return _ESCAPED[match[3]]

    return _ESCAPE.sub(character, text)


def _plain(key: str, lines: Sequence[str]) -> str:
    text = _folded([_COMMENT.sub("", line) for line in lines])
    if _NOT_PLAIN.match(text) or ": " in text or text.endswith(":"):
        raise Malformed(f"its {key} must be quoted")
    return text


def _folded(lines: Sequence[str]) -> str:
    return " ".join(" ".join(lines).split())
