"""Masking secrets in the results of tools: for what is sent and shown, never for what is stored.

``masked`` is a pure function of the text, so that a message is the same bytes in every request,
and masking twice changes nothing. Only what is a secret with high confidence is masked: private
keys, tokens whose issuers gave them a form of their own, and values of variables that are named
like secrets. A mark says what stood there: ``[masked: AWS key]``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from perdure.core.messages import Message
from perdure.core.state import Prefix, SessionState

Shown: TypeAlias = Callable[[str], str]
"""How the result of a tool is shown: ``masked``, or ``as_stored``."""


def as_stored(text: str) -> str:
    """Return ``text`` as it is."""
    return text


@lru_cache(maxsize=256)
def masked(text: str) -> str:
    """Return ``text`` with a mark in the place of every secret."""
    for pattern, mark in _MARKS:
        text = pattern.sub(mark, text)
    return text


class ResultMasks:
    """Masks the results of tools in a context that grows: each once, not at every request.

    It remembers those of the latest context, by identity: a message never changes.
    """

    def __init__(self) -> None:
        self._latest: dict[int, tuple[Message, Message]] = {}

    def applied(self, state: SessionState) -> SessionState:
        """Return a state whose active context has masked results; all else is as it was."""
        before, self._latest = self._latest, {}
        context = []
        for message in state.active_context:
            pair = before.get(id(message)) or (message, _with_masks(message))
            self._latest[id(message)] = pair
            context.append(pair[1])
        return replace(state, active_context=Prefix(context))


def _with_masks(message: Message) -> Message:
    if message["role"] != "tool":
        return message
    return {**message, "content": masked(message["content"])}


def _assignment(match: re.Match[str]) -> str:
    name = match[1]
    return f"{name}=[masked: secret]" if _ASSIGNED.search(name) else match[0]


def _token(form: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9_-])(?:{form})(?![A-Za-z0-9_-])")


_BEGIN = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
_END = r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
_BODY = r"[A-Za-z0-9+/=\s\\:,.()-]{0,10000}?"
_UNENDED = r"(?:(?:\\[nr]|\s)+[A-Za-z0-9+/=]{16,})*"

_AUTHORIZATION = (
    r"""(?i)\b(authorization["']?\s*[:=]\s*["']?(?:basic|bearer|token)\s+)[^\s"'\[]{8,}"""
)
_IN_URL = r"((?<=[a-z0-9])://[^\s/:@\[]*+:)[^\s/@\[$<{]{3,}+(?=@)"
_ASSIGNED = re.compile(
    r"(?:^|_)(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|PWD|APIKEY|CREDENTIALS?"
    r"|(?:API|ACCESS|AUTH|ENCRYPTION|LICENSE|MASTER|PRIVATE|SECRET|SIGNING)_KEY)(?:_|$)"
)
"""Names of variables that hold secrets."""
_VALUE = r"""(?:"[^"\n$<>\[]{6,}"|'[^'\n$<>\[]{6,}'|[^\s"'`$()\[\]{}<>;,]{6,}(?=\s|$))"""

_MARKS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(f"{_BEGIN}(?:{_BODY}{_END}|{_UNENDED})"), "[masked: private key]"),
    (_token(r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}"), "[masked: JSON web token]"),
    (_token(r"github_pat_\w{22,}|gh[oprsu]_[A-Za-z0-9]{36,}"), "[masked: GitHub token]"),
    (_token(r"glpat-[\w-]{20,}"), "[masked: GitLab token]"),
    (_token(r"(?:AKIA|ASIA)[A-Z0-9]{16}"), "[masked: AWS key]"),
    (_token(r"AIza[\w-]{35}"), "[masked: Google key]"),
    (_token(r"xox[abeoprs]-[A-Za-z0-9-]{10,}"), "[masked: Slack token]"),
    (_token(r"(?:npm|hf)_[A-Za-z0-9]{30,}|pypi-[\w-]{50,}"), "[masked: registry token]"),
    (_token(r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"), "[masked: Stripe key]"),
    (_token(r"(?:sk-|gsk_)(?=[\w-]*\d)[\w-]{20,}"), "[masked: API key]"),
    (re.compile(_AUTHORIZATION), r"\1[masked: credentials]"),
    (re.compile(_IN_URL), r"\1[masked: password]"),
    (re.compile(rf"(?<![\w$.{{-])([A-Z][A-Z0-9_]*+)={_VALUE}"), _assignment),
)
