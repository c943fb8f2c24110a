"""The page that documents Perdure's own LSP methods, written from their types."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any, ForwardRef, get_args

from message_types import message_types, set_of_words

from perdure.protocol.methods import COMMANDS, METHODS, Command, Method

_HEAD = """\
# Perdure's own LSP methods

Generated from `server/perdure/protocol/`; run `python schemas/generate.py`. The same as JSON
Schema: `protocol.schema.json`. Everything else is standard LSP 3.18: progress that can be
cancelled, diagnostics with code actions, and for documents `perdure:/<sessionId>.md` their
content, symbols, folds, links, hovers and lenses. Types are written as in Python; a field with
`?` may be left out. Times are ms since the epoch.

Errors are JSON-RPC errors with `data` of type [ErrorData](#errordata). Its `code` is one of `busy`,
`session_in_use`, `session_corrupt`, `storage_full`, `storage_failed`, `provider_not_configured`,
`unsupported_version`, `not_found`, `not_pending`, `invalid_params`, `internal_error`.
"""


def protocol_page() -> str:
    """Return the page."""
    parts = [
        _HEAD,
        "## Commands\n",
        "By `workspace/executeCommand`, each with one optional argument, an object.\n",
        *_rows(("command", "argument", "result", ""), map(_command, COMMANDS)),
        "\n## Notifications and requests\n",
        *_rows(("method", "sent by", "params", "result", ""), map(_method, METHODS)),
        "\n## Types\n",
        *(line for shape in message_types() for line in _type(shape)),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def _command(command: Command) -> tuple[str, ...]:
    says = command.says if command.changes else f"{command.says} Ends when cancelled."
    return f"`{command.name}`", _link(command.arguments), _link(command.result), says


def _method(method: Method) -> tuple[str, ...]:
    result = "none, a notification" if method.result is None else _link(method.result)
    return f"`{method.name}`", method.sent_by, _link(method.params), result, method.says


def _link(shape: type[Any]) -> str:
    return f"[{shape.__name__}](#{shape.__name__.lower()})"


def _rows(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _type(shape: type[Any]) -> Iterator[str]:
    yield f"### {shape.__name__}\n"
    yield inspect.cleandoc(shape.__doc__ or "").replace("``", "`") + "\n"
    for name, annotation in shape.__annotations__.items():
        yield f"- {_field(name, annotation)}"
    yield ""


def _field(name: str, annotation: ForwardRef | type[Any]) -> str:
    text = annotation.__forward_arg__ if isinstance(annotation, ForwardRef) else annotation.__name__
    optional = text.startswith("NotRequired[")
    if optional:
        text = text.removeprefix("NotRequired[").removesuffix("]")
    return f"`{name}{'?' if optional else ''}`: `{_spelled_out(text)}`"


def _spelled_out(text: str) -> str:
    """Replace the name of a set of words by the words."""
    words = set_of_words(text)
    if words is None:
        return text
    return f"Literal[{', '.join(f'{word!r}' for word in get_args(words))}]"
