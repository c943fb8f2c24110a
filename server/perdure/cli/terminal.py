"""Asking the user on the terminal, and leaving the terminal as it was found."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping


class Terminal:
    """The terminal on standard input. ``prompt`` shows a question without ending the line."""

    def __init__(self, prompt: Callable[[str], None]) -> None:
        self._prompt = prompt
        self._restore = _mode_saver()

    async def choose(self, question: str, choices: Mapping[str, str]) -> str | None:
        """Ask until the answer is one of the choices; return its key.

        ``choices`` maps a key to its words, for example ``{"y": "yes"}``; both are answers, and so
        is the beginning of the words. What was typed before the question was seen is none. None at
        the end of the input.
        """
        words = ", ".join(_choice(key, words) for key, words in choices.items())
        _forget_typed()
        while True:
            self._prompt(f"{question} {words}: ")
            answer = await _line()
            if not answer:
                return None
            key = _chosen(answer.strip().lower(), choices)
            if key is not None:
                return key

    def restore(self) -> None:
        """Put the terminal's mode back; harmless when repeated."""
        self._restore()


def is_terminal() -> bool:
    """Tell whether somebody can be asked."""
    return sys.platform != "win32" and sys.stdin is not None and sys.stdin.isatty()


def _choice(key: str, words: str) -> str:
    """Show the key within the words where they begin with it: ``[y]es``."""
    return f"[{key}]{words[len(key) :]}" if words.startswith(key) else f"[{key}] {words}"


def _chosen(answer: str, choices: Mapping[str, str]) -> str | None:
    """Return the key that is meant; a word that only begins with a key ("what") means nothing."""
    if not answer:
        return None
    if answer in choices:
        return answer
    return next((key for key, words in choices.items() if words.startswith(answer)), None)


def _forget_typed() -> None:
    import termios

    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


async def _line() -> str:
    """Return the next line of standard input, "" at its end."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[str] = loop.create_future()
    descriptor = sys.stdin.fileno()

    def read() -> None:
        loop.remove_reader(descriptor)
        if not ready.done():
            ready.set_result(os.read(descriptor, 4096).decode(errors="replace"))

    loop.add_reader(descriptor, read)
    try:
        return await ready
    finally:
        loop.remove_reader(descriptor)


def _mode_saver() -> Callable[[], None]:
    """Remember the mode of the terminal; the returned function sets it again."""
    if not is_terminal():
        return lambda: None
    import termios

    descriptor = sys.stdin.fileno()
    mode = termios.tcgetattr(descriptor)
    return lambda: termios.tcsetattr(descriptor, termios.TCSADRAIN, mode)
