"""Write the JSON Schemas, and what is made from them: ``python schemas/generate.py [--check]``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, TypeAlias, TypeVar

from annotated_types import MinLen
from message_types import message_types
from protocol_page import protocol_page
from pydantic import TypeAdapter
from shapes import CurrentConfiguration, Plan, Reduction
from typescript_types import typescript_types

from perdure.core.facts import Fact, Header
from perdure.json_types import JsonObject, JsonValue

FOLDER = Path(__file__).parent
TYPESCRIPT = FOLDER.parent / "editor-clients" / "vscode" / "src" / "protocol.ts"
COMMAND = "python schemas/generate.py"
DIALECT = "https://json-schema.org/draft/2020-12/schema"

T = TypeVar("T")
SessionLine: TypeAlias = Header | Fact | Annotated[list[Fact], MinLen(1)]


def expected_files() -> dict[Path, str]:
    """Return the text of every schema, of the page on the protocol, and of the client's types."""
    session = FOLDER / "session"
    protocol_schema = _protocol_schema()
    return {
        session / "session.schema.json": _session_schema(
            TypeAdapter(SessionLine),
            "A line of a session file: first the header, then facts",
        ),
        session / "expected-state.schema.json": _session_schema(
            TypeAdapter(Reduction), "What a session file means, or why it is refused"
        ),
        session / "current-configuration.schema.json": _session_schema(
            TypeAdapter(CurrentConfiguration), "What the planner compares a session with"
        ),
        session / "recovery-plan.schema.json": _session_schema(
            TypeAdapter(Plan), "What may happen next"
        ),
        FOLDER / "protocol.schema.json": protocol_schema,
        FOLDER / "PROTOCOL.md": protocol_page(),
        TYPESCRIPT: typescript_types(protocol_schema),
    }


def stale() -> list[Path]:
    """Return the schemas that are missing or differ from the types."""
    return [
        path
        for path, text in expected_files().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


def main() -> int:
    """Write, or with ``--check`` only compare; return the exit code."""
    outdated = stale()
    if "--check" not in sys.argv[1:]:
        for path in outdated:
            path.write_text(expected_files()[path], encoding="utf-8")
        return 0
    for path in outdated:
        print(f"{path.relative_to(FOLDER.parent)} is out of date; run: {COMMAND}")
    return 1 if outdated else 0


def _session_schema(adapter: TypeAdapter[T], title: str) -> str:
    """Return the schema of a type all of whose objects are closed."""
    return _text(title, _tidy(adapter.json_schema(), closed=True))


def _protocol_schema() -> str:
    """Return one definition per message; objects are open, since fields may be added later."""
    _, schema = TypeAdapter.json_schemas(
        [(shape.__name__, "validation", TypeAdapter(shape)) for shape in message_types()]
    )
    return _text("Messages of Perdure's own LSP methods", _tidy(schema, closed=False))


def _tidy(schema: JsonObject, *, closed: bool) -> JsonObject:
    """Drop made-up titles, call any JSON ``true``; if wanted, close objects with named members."""
    if closed and "properties" in schema:
        schema = schema | {"additionalProperties": False}
    return {
        key: _tidy_member(key, value, closed) for key, value in schema.items() if key != "title"
    }


def _tidy_member(key: str, value: JsonValue, closed: bool) -> JsonValue:
    match value:
        case {"$ref": "#/$defs/JsonValue"}:
            return True
        case dict() if key in ("properties", "$defs"):
            kept = (name for name in value if name != "JsonValue")
            return {name: _tidy_member("", value[name], closed) for name in kept}
        case dict():
            return _tidy(value, closed=closed)
        case list():
            return [_tidy_member("", part, closed) for part in value]
        case _:
            return value


def _text(title: str, schema: JsonObject) -> str:
    head: JsonObject = {"$schema": DIALECT, "title": title}
    return json.dumps(head | schema, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    sys.exit(main())
