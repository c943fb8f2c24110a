"""The TypeScript types of the protocol, for the extension of VS Code.

Shapes come from the JSON Schema, the commands and methods that use them from their one list.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from perdure.protocol.methods import COMMANDS, METHODS, Method

_HEAD = """\
// Made by `python schemas/generate.py`; do not edit.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
"""
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}


def typescript_types(schema: str) -> str:
    """Return the text of ``protocol.ts`` for the text of ``protocol.schema.json``."""
    shapes = json.loads(schema)["$defs"]
    blocks = [
        _HEAD,
        *(_interface(name, shape) for name, shape in shapes.items()),
        _table(
            "What `workspace/executeCommand` takes and gives, by command.",
            "Commands",
            ((c.name, c.arguments.__name__, c.result.__name__) for c in COMMANDS),
        ),
        *(_methods(sender) for sender in ("server", "client")),
    ]
    return "\n".join(blocks)


def _interface(name: str, shape: dict[str, Any]) -> str:
    paragraphs = (line.replace("``", "`") for line in shape["description"].splitlines())
    lines = ["/**", *(f" * {line}".rstrip() for line in paragraphs), " */"]
    lines.append(f"export interface {name} {{")
    for field, schema in shape["properties"].items():
        optional = "" if field in shape.get("required", []) else "?"
        lines.append(f"  {field}{optional}: {_type(schema)};")
    return "\n".join([*lines, "}", ""])


def _type(schema: Any) -> str:  # noqa: ANN401
    match schema:
        case {"$ref": str(ref)}:
            return ref.rpartition("/")[2]
        case {"enum": list(values)}:
            return " | ".join(f"'{value}'" for value in values)
        case {"anyOf": list(choices)}:
            return " | ".join(_type(choice) for choice in choices)
        case {"type": "array", "items": items}:
            inner = _type(items)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        case {"type": "null"}:
            return "null"
        case {"type": "object"}:
            return "{ [key: string]: Json }"
        case {"type": str(kind)}:
            return _PLAIN[kind]
        case _:
            return "Json"


def _methods(sender: str) -> str:
    rows = ((m.name, m.params.__name__, _result(m)) for m in METHODS if m.sent_by == sender)
    says = f"What the {sender} sends: parameters and result, which is void for a notification."
    return _table(says, f"{sender.capitalize()}Methods", rows)


def _result(method: Method) -> str:
    if method.result is None:
        return "void"
    nullable = " | null" if method.name == "perdure/approve" else ""
    return f"{method.result.__name__}{nullable}"


def _table(says: str, name: str, rows: Iterable[tuple[str, str, str]]) -> str:
    def lines() -> Iterator[str]:
        yield f"/** {says} */"
        yield f"export interface {name} {{"
        for key, given, got in rows:
            yield f"  '{key}': [{given}, {got}];"
        yield "}\n"

    return "\n".join(lines())
