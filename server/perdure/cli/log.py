"""What is written about our own work: the log on standard error, the file of an internal error.

Whatever an exception says, a key of a provider gets into neither, nor what looks like a secret.
"""

from __future__ import annotations

import logging
import os
import sys
import traceback
from collections.abc import Mapping

_CHATTY = ("pygls", "httpx", "httpx2")
"""These write whole messages and addresses at INFO."""

_REPEATING = "mcp"
"""This one writes down with a traceback what a server says that is no message of the protocol."""


def configure_log() -> None:
    """Log to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("%(asctime)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger(_REPEATING).setLevel(logging.CRITICAL)


def traceback_of(error: BaseException) -> str:
    """Return the traceback, fit to be kept."""
    return without_secrets("".join(traceback.format_exception(error)), os.environ)


def without_secrets(text: str, environ: Mapping[str, str]) -> str:
    """Return ``text`` without the keys in ``environ`` and with masks for other secrets.

    Also those that the settings of this process have named so far.
    """
    from perdure.core.masking import masked
    from perdure.key_names import remembered
    from perdure.tools.environment import PROVIDER_KEYS

    for name in PROVIDER_KEYS | remembered():
        key = environ.get(name)
        if key:
            text = text.replace(key, "[key]")
    return masked(text)


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record), os.environ)
