"""The names of tools in what is sent."""

from __future__ import annotations

import re

_LONGEST = 64
_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]")


def sent_name(name: str) -> str:
    """Return a name of a call as every server takes it.

    A model may call a tool by any name. Servers refuse a whole history for one name that has
    other characters than theirs, none or too many.
    """
    return _ILLEGAL.sub("_", name)[:_LONGEST] or "_"
