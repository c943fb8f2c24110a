r"""The script language of the demo model: what it answers is written in the prompt.

A script is part of what a user writes. It starts at the first line that is a directive and goes on
to the end, without the context of the message; lines of ``---`` divide it into steps, one step per
answer::

    Any words before the first directive are ignored.
    text: Let me look.
    call: bash {"command": "ls"}
    ---
    sleep: 200
    text: All done.

=====================================  ========================================================
``text: WORDS``                        text of the answer; several join with a line feed
``reasoning: WORDS``                   reasoning, shown while streaming only
``call: NAME ARGUMENTS``               a tool call; the arguments are sent as they stand here
``id: ID``                             id of the call above (default ``call_<answer>_<number>``)
``blank``                              nothing: a step of only this is an empty answer
``sleep: MS``                          wait at this point, milliseconds
``stream: PIECES [MS]``                send each text in so many pieces, waiting MS before each
``stop: length`` or ``stop: stop``     ``length`` is an answer cut by the token limit
``usage: none``                        an answer without usage
``usage: IN OUT [READ WRITE]``         tokens: input, output, cache reads, cache writes
``error: CODE WORDS``                  fail at this point with a code of ``ErrorCode``
=====================================  ========================================================

A line that is no directive continues the one above it, so text and arguments may have several
lines. This module is pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, cast, get_args

from perdure.core.facts import UsageCounters
from perdure.core.messages import Message
from perdure.core.user_content import divided
from perdure.providers.base import ErrorCode


@dataclass(frozen=True, slots=True)
class Say:
    """Stream these words."""

    kind: Literal["text", "reasoning"]
    words: str


@dataclass(frozen=True, slots=True)
class CallTool:
    """Call a tool; ``id`` is empty when the script gives none."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait."""

    ms: int


@dataclass(frozen=True, slots=True)
class Fail:
    """Raise a provider error."""

    code: ErrorCode
    words: str


Action: TypeAlias = Say | CallTool | Sleep | Fail


@dataclass(frozen=True, slots=True)
class Step:
    """One answer. ``usage`` is ``counted`` when the model counts characters itself."""

    actions: tuple[Action, ...] = ()
    truncated: bool = False
    pieces: int = 1
    pause_ms: int = 0
    usage: UsageCounters | Literal["counted"] | None = field(default="counted")


class ScriptError(Exception):
    """A directive of the script cannot be read; the message quotes it."""


def find_script(messages: Sequence[Message]) -> tuple[str, int] | None:
    """Return the newest script and how many answers came after it, None without a script."""
    answers = 0
    for message in reversed(messages):
        if message["role"] == "assistant":
            answers += 1
        elif message["role"] == "user":
            words, _ = divided(message["content"])
            script = _script_of(words)
            if script is not None:
                return script, answers
    return None


def parse_script(script: str) -> list[Step]:
    """Return the steps. Raises ``ScriptError``."""
    return [_parse_step(text) for text in re.split(r"^---[ \t]*$", script, flags=re.MULTILINE)]


_CODES = "|".join(get_args(ErrorCode))
_PATTERNS = {
    "text": r"text: ?(.*)",
    "reasoning": r"reasoning: ?(.*)",
    "call": r"call: ?(\S+)\s*(.*)",
    "id": r"id: ?(\S+)",
    "blank": r"blank",
    "sleep": r"sleep: ?(\d+)",
    "stream": r"stream: ?([1-9]\d*)(?: (\d+))?",
    "stop": r"stop: ?(length|stop)",
    "usage": r"usage: ?(?:none|(\d+) (\d+)(?: (\d+) (\d+))?)",
    "error": rf"error: ?({_CODES}) (.+)",
}
_DIRECTIVE = re.compile("|".join(_PATTERNS.values()))
_WORD = re.compile("|".join(f"{word}(?=:|$)" for word in _PATTERNS))


def _script_of(content: str) -> str | None:
    lines = content.split("\n")
    for index, line in enumerate(lines):
        if _DIRECTIVE.fullmatch(line.rstrip()):
            return "\n".join(lines[index:])
    return None


def _parse_step(text: str) -> Step:
    step = Step()
    for directive in _directives(text):
        word = _WORD.match(directive)
        match = word and re.fullmatch(_PATTERNS[word.group()], directive, re.DOTALL)
        if word is None or match is None:
            raise ScriptError(f"The demo model cannot read this line of its script: {directive!r}.")
        step = _apply(step, word.group(), match)
    return step


def _directives(text: str) -> list[str]:
    directives: list[str] = []
    for line in text.strip("\n").split("\n"):
        if directives and not _WORD.match(line):
            directives[-1] += "\n" + line
        else:
            directives.append(line)
    return [directive.rstrip() for directive in directives if directive.strip()]


def _apply(step: Step, word: str, match: re.Match[str]) -> Step:
    match word:
        case "text" | "reasoning":
            return _add(step, Say("text" if word == "text" else "reasoning", match[1]))
        case "call":
            return _add(step, CallTool(match[1], match[2]))
        case "id":
            return _name_last_call(step, match[1])
        case "sleep":
            return _add(step, Sleep(int(match[1])))
        case "error":
            return _add(step, Fail(cast(ErrorCode, match[1]), match[2]))
        case "stream":
            return replace(step, pieces=int(match[1]), pause_ms=int(match[2] or 0))
        case "stop":
            return replace(step, truncated=match[1] == "length")
        case "usage":
            return replace(step, usage=_usage(match))
        case _:
            return step


def _add(step: Step, action: Action) -> Step:
    return replace(step, actions=(*step.actions, action))


def _name_last_call(step: Step, call_id: str) -> Step:
    match step.actions:
        case (*before, CallTool() as call):
            return replace(step, actions=(*before, replace(call, id=call_id)))
        case _:
            raise ScriptError("In a script of the demo model, id: stands right after a call.")


def _usage(match: re.Match[str]) -> UsageCounters | None:
    if match[1] is None:
        return None
    return {
        "input": int(match[1]),
        "output": int(match[2]),
        "cacheRead": int(match[3] or 0),
        "cacheWrite": int(match[4] or 0),
    }
