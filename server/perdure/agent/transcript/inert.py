"""Text that someone else wrote, made harmless for the document around it.

Laws, for any text:

* What is shown has no line end but LF, no character that an editor takes for one, and none that
  is invisible or turns the direction of reading: those are shown by a picture or their number.
* A fence is longer than any run of backticks inside; a quote has its mark on every line. So no
  text ends the block that holds it.
* In a quote, where Markdown is alive, no HTML is: ``<`` is written as an entity wherever it could
  open a tag, except inside of code. What is code is decided so that doubt means: it is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_SPECIAL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,}).*")


def visible(text: str) -> str:
    """Return ``text`` with LF as its only line end and a sign for every special character."""
    return _SPECIAL.sub(_sign, text.replace("\r\n", "\n"))


def fenced(text: str, language: str) -> str:
    """Return a code block that holds ``text``; ``language`` is our own word."""
    shown = visible(text).removesuffix("\n")
    ticks = fence(shown)
    return f"{ticks}{language}\n{shown}\n{ticks}"


def fence(text: str) -> str:
    """Return a fence that nothing in ``text`` can close."""
    return "`" * max(3, _longest_run(text) + 1)


def quoted(text: str) -> str:
    """Return a block quote in which the Markdown of ``text`` is alive."""
    lines = _without_html(visible(text).rstrip("\n").split("\n"))
    return "\n".join(f"> {line}".rstrip() for line in lines)


def code_span(text: str, *, limit: int = 100) -> str:
    """Return ``text`` as code inside of a line, cut to ``limit`` characters."""
    flat = visible_line(text, limit=limit)
    if "`" not in flat:
        return f"`{flat}`"
    ticks = "`" * (_longest_run(flat) + 1)
    return f"{ticks} {flat} {ticks}"


def visible_line(text: str, *, limit: int) -> str:
    """Return ``text`` as a label: one line, at most ``limit`` characters, never empty.

    Control characters are shown by signs.
    """
    flat = " ".join(visible(text[: 8 * limit]).split()) or "(blank)"
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text))) if "`" in text else 0


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"⟨U+{code:04X}⟩"


def _without_html(lines: list[str]) -> Iterator[str]:
    """Disarm tags outside of code.

    Code blocks are known while all fences up to here stand at the start of their line; one
    inside of a list or a quote may end where this does not see it. Code spans are known while
    every line of a paragraph has its backticks in pairs.
    """
    fence = ""
    known = True
    paired = True
    for line in lines:
        opened = "" if fence else _opening(line)
        if fence:
            yield line if known else _disarmed(line)
            fence = "" if _closes(line, fence) else fence
            continue
        known = known and (bool(opened) or not _has_fence(line))
        fence = opened
        paired = not line.strip() or (paired and _spans_are_plain(line))
        yield _disarmed_outside_spans(line) if paired and not opened else _disarmed(line)


def _opening(line: str) -> str:
    match = _FENCE.fullmatch(line)
    return match[1] if match else ""


def _closes(line: str, fence: str) -> bool:
    return re.fullmatch(rf" {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*", line) is not None


def _has_fence(line: str) -> bool:
    return "```" in line or "~~~" in line


def _spans_are_plain(line: str) -> bool:
    return line.count("`") % 2 == 0 and "``" not in line and "\\`" not in line


def _disarmed(line: str) -> str:
    return _TAG.sub("&lt;", line)


def _disarmed_outside_spans(line: str) -> str:
    parts = line.split("`")
    return "`".join(part if odd % 2 else _disarmed(part) for odd, part in enumerate(parts))
