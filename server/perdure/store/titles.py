"""``S.title``: the name that the user gave a session, one line of UTF-8."""

from __future__ import annotations

from pathlib import Path

from perdure.core.text import without_lone_surrogates
from perdure.store._fs import read_regular
from perdure.store._log import storage_error
from perdure.store._replace import replace_file
from perdure.store.options import StoreOptions

TITLE_LENGTH = 200
_MOST_BYTES = 4 * TITLE_LENGTH


def title_path(session: Path) -> Path:
    """Return ``S.title``."""
    return session.with_suffix(".title")


def printable_line(text: str) -> str:
    """Return ``text`` as one line of what can be printed; lone surrogates become U+FFFD."""
    sound = without_lone_surrogates(text)
    printable = "".join(c if c.isprintable() else " " for c in sound)
    return " ".join(printable.split())


def normalised_title(text: str) -> str:
    """Return ``text`` as a title: one line of at most ``TITLE_LENGTH`` characters."""
    return printable_line(text)[:TITLE_LENGTH].rstrip()


def read_title(session: Path) -> str:
    """Return the given name, empty when there is none or it cannot be read."""
    try:
        data = read_regular(title_path(session), _MOST_BYTES)
    except OSError:
        return ""
    return normalised_title(data.decode("utf-8", "replace"))


def write_title(session: Path, title: str, options: StoreOptions) -> None:
    """Name a session; an empty title takes the name away.

    Raises ``StorageFull`` or ``StorageFailed``.
    """
    path, sync = title_path(session), options.level != "process"
    try:
        if title:
            replace_file(options.files, path, title.encode() + b"\n", sync=sync)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(error, "The session keeps its title") from error
