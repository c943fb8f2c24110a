"""Patterns for paths, as regular expressions.

``*`` and ``?`` stay within a name, ``**`` are any folders, ``{a,b}`` is a choice. A pattern without
a slash is for the name, in whatever folder; one with a slash is for the path.

However a pattern is made, comparing takes time that grows with the path and no more: what stands
between two stars is matched where it is found first, and that is never reconsidered.
"""

from __future__ import annotations

import re

from perdure.errors import ToolError

_MOST_CHOICES = 64
_IN_NAME = r"[^/]"
_FOLDERS = r"(?:[^/]+/)*"
_TOKEN = re.compile(r"\\.|\*+|\[[!^]?\]?[^\]/]*\]|.", re.DOTALL)


def glob_regex(pattern: str) -> str:
    """Return a regular expression that matches the whole of each path meant.

    Raises ToolError for a pattern that means nothing.
    """
    plain = pattern.removeprefix("./")
    if not plain.strip("/"):
        raise ToolError(f"{pattern!r} is not a pattern of files, such as src/**/*.py.")
    if "/" not in plain:
        plain = f"**/{plain}"
    return "|".join(f"(?:{_path(choice)})" for choice in _choices(plain))


def name_pattern(pattern: str) -> str | None:
    """Return a simple pattern that the name of every file meant has, None where there is none."""
    last = pattern.rpartition("/")[2]
    return last if re.fullmatch(r"[A-Za-z0-9_.*?-]+", last) and "**" not in last else None


def _choices(pattern: str) -> list[str]:
    """Return the patterns that the braces stand for; braces that are not closed are text."""
    chosen: list[str] = []
    waiting = [pattern]
    while waiting:
        first = waiting.pop()
        found = re.search(r"(?<!\\)\{([^{}]*)\}", first)
        if found is None:
            chosen.append(first)
        else:
            before, after = first[: found.start()], first[found.end() :]
            waiting += [f"{before}{choice}{after}" for choice in found[1].split(",")]
        if len(chosen) > _MOST_CHOICES:
            raise ToolError(f"The pattern has more than {_MOST_CHOICES} choices in braces.")
    return chosen


def _path(pattern: str) -> str:
    if pattern.endswith("/"):
        pattern += "**"
    names = [name for name in pattern.split("/") if name]
    parts: list[list[str]] = [[]]
    for name in names:
        if name == "**":
            parts.append([])
        else:
            parts[-1].append(_name(name))
    first, *others = ["/".join(part) for part in parts]
    if not others:
        return first
    *middle, last = others
    found = f"{first}/" if first else ""
    found += "".join(f"(?>{_FOLDERS}?{part}/)" for part in middle if part)
    return found + (f"{_FOLDERS}{last}" if last else r".+")


def _name(pattern: str) -> str:
    """Return the expression for one name.

    All stars but the last take as little as they can: every match of a piece is equally long.
    """
    pieces = [""]
    for text in _TOKEN.findall(pattern):
        if text.startswith("*"):
            pieces.append("")
        else:
            pieces[-1] += _character(text)
    if len(pieces) == 1:
        return pieces[0]
    middle = "".join(f"(?>{_IN_NAME}*?{piece})" for piece in pieces[1:-1])
    return f"{pieces[0]}{middle}{_IN_NAME}*{pieces[-1]}"


def _character(text: str) -> str:
    if text == "?":
        return _IN_NAME
    if text.startswith("[") and len(text) > 2:
        return _characters(text)
    return re.escape(text[1:] if len(text) == 2 and text[0] == "\\" else text)


def _characters(text: str) -> str:
    negated = text[1] in "!^"
    inside = text[2:-1] if negated else text[1:-1]
    escaped = re.sub(r"[\\\[\]&~|^]", r"\\\g<0>", inside)
    expression = f"(?!/)[{'^' if negated else ''}{escaped}]"
    try:
        re.compile(expression)
    except re.error as error:
        raise ToolError(f"{text} is not a range of characters.") from error
    return expression
