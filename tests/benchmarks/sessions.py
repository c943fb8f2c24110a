"""Sessions as they come about: prompts, answers of 0.5 to 4 KB, results of up to 50 KB.

About a kilobyte a fact; a run has five steps, each with an attempt, an answer with usage, an
intent and a result. Most results are short, some are long; one text of five has characters beyond
ASCII. The same number of facts gives the same bytes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import orjson
from tests.support.log import Log, session
from tests.unit.store.sessions import write_session

from perdure.store._seal_file import seal_path
from perdure.store.seal import Seal, chains, encode_level

TOOLS = ("read", "write", "edit", "bash", "grep", "glob")
_ASCII = "the test of this module fails because it reads empty lines\n    return value\n"
_WORDS = "the test of this module fails because it reads \u201cempty\u201d lines\n  return it\n"
_STEPS = 4


def realistic(facts: int, *, until_idle: bool = True) -> Log:
    """Return a session of at least so many facts: many finished runs, or a single one at work."""
    dice = random.Random(facts)
    log = session()
    if not until_idle:
        log.prompt("Please go on.")
    while log.seq < facts:
        if until_idle:
            log.prompt(_text(dice, 50, 500))
        for step in range(_STEPS):
            log.attempt(*TOOLS)
            log.answer(
                _text(dice, 0, 1000),
                ("read", {"path": f"src/module_{step}.py", "offset": step}),
                stop="toolUse",
            )
            log.usage().joined().started(0).result(0, _result(dice))
        if until_idle:
            log.attempt(*TOOLS).answer(_text(dice, 500, 4000)).usage().joined().finish()
    return log


@cache
def realistic_bytes(facts: int) -> bytes:
    """Return the log of such a session."""
    return realistic(facts).to_bytes()


def sealed_session(directory: Path, facts: int) -> Path:
    """Write such a session with the sidecar that a store gives it; return its file."""
    path = write_session(directory, session())
    data = realistic_bytes(facts)
    path.write_bytes(data)
    seals = b"".join(seal.encode() for seal in _seals(data))
    seal_path(path).write_bytes(encode_level("process") + seals)
    return path


def _seals(data: bytes) -> Iterator[Seal]:
    start = 0
    for end, chain in chains(data, length=len(data)):
        value = orjson.loads(data[start:end])
        last = value[-1] if isinstance(value, list) else value
        start = end
        yield Seal(last.get("seq", 0), end, 0, chain)


def _result(dice: random.Random) -> str:
    if dice.random() < 0.04:
        return _text(dice, 10_000, 50_000)
    return _text(dice, 100, 2500)


def _text(dice: random.Random, least: int, most: int) -> str:
    length = dice.randint(least, most)
    words = _WORDS if dice.random() < 0.2 else _ASCII
    start = dice.randrange(len(words))
    return (words * (length // len(words) + 2))[start : start + max(length, 1)]
