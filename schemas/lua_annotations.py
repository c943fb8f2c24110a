"""Write the Lua types of the protocol: ``python schemas/lua_annotations.py [--check]``.

They are made from ``protocol.schema.json``, for the language server of those who work on the plugin
for Neovim.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).parent / "protocol.schema.json"
OUTPUT = Path(__file__).parents[1] / "editor-clients" / "neovim" / "lua" / "perdure" / "types.lua"
COMMAND = "python schemas/lua_annotations.py"

_PLAIN = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "object": "table",
}


def lua_types() -> str:
    """Return the text of ``types.lua``."""
    shapes = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    head = ["---@meta", f"-- Made by `{COMMAND}`; do not edit.", ""]
    return "\n".join([*head, *(_class(name, shape) for name, shape in shapes.items())])


def main() -> int:
    """Write the file; with ``--check`` say instead whether it is stale."""
    if "--check" not in sys.argv:
        OUTPUT.write_text(lua_types(), encoding="utf-8")
        return 0
    if OUTPUT.is_file() and OUTPUT.read_text(encoding="utf-8") == lua_types():
        return 0
    sys.stderr.write(f"{OUTPUT} is stale: run {COMMAND}\n")
    return 1


def _class(name: str, shape: dict[str, Any]) -> str:
    lines = [f"---{line}" for line in shape["description"].splitlines() if line]
    lines.append(f"---@class perdure.{name}")
    for field, schema in shape["properties"].items():
        kind, nullable = _type(schema)
        optional = "?" if nullable or field not in shape.get("required", []) else ""
        lines.append(f"---@field {field}{optional} {kind}")
    return "\n".join([*lines, ""])


def _type(schema: Any) -> tuple[str, bool]:  # noqa: ANN401
    """Return the type, and whether null is one of its values: it arrives as nil."""
    match schema:
        case {"$ref": str(ref)}:
            return f"perdure.{ref.rpartition('/')[2]}", False
        case {"enum": list(values)}:
            return "|".join(f"'{value}'" for value in values), False
        case {"anyOf": list(choices)}:
            kinds = [_type(choice)[0] for choice in choices if choice != {"type": "null"}]
            return "|".join(kinds), len(kinds) < len(choices)
        case {"type": "array", "items": items}:
            kind = _type(items)[0]
            return f"({kind})[]" if "|" in kind else f"{kind}[]", False
        case {"type": str(kind)}:
            return _PLAIN[kind], False
        case _:
            return "any", False


if __name__ == "__main__":
    sys.exit(main())
