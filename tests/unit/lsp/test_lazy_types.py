"""lsprotocol's classes are the same whether they were finished at once or when they were needed.

Each way runs in an interpreter of its own, since a module is imported only once.
"""

from __future__ import annotations

import json
import subprocess
import sys

PROGRAM = """
import json, re, sys
if sys.argv[1] == "lazy":
    from perdure.lsp.lazy_types import load_lazily
    load_lazily()
import attrs
from lsprotocol import types
from lsprotocol.converters import get_converter
waiting = sum("__attrs_attrs__" in vars(k) and not isinstance(vars(k)["__attrs_attrs__"], tuple)
              for k in types.ALL_TYPES_MAP.values() if isinstance(k, type))
converter = get_converter()
message = json.loads(sys.argv[2])
request = converter.structure(message, types.InitializeRequest)
again = converter.structure(message, types.InitializeRequest)
position = types.Position(line=1, character=2)
try:
    types.Position(line=-1, character=2)
except ValueError as error:
    refused = str(error)
fields = {
    name: [[f.name, str(f.type), repr(f.default), str(f.validator)] for f in attrs.fields(kind)]
    for name, kind in types.ALL_TYPES_MAP.items()
    if isinstance(kind, type) and attrs.has(kind)
}
print(json.dumps({
    "waiting": waiting,
    "message": converter.unstructure(request, types.InitializeRequest),
    "equal": request == again and position < types.Position(2, 0) and position != (1, 2),
    "shown": repr(position) + repr(request),
    "refused": refused,
    "fields": re.sub(" at 0x[0-9a-f]+", "", json.dumps(fields)),
}))
"""

MESSAGE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "processId": None,
        "rootUri": None,
        "capabilities": {"textDocument": {"synchronization": {"didSave": True}}},
        "workspaceFolders": [{"uri": "file:///work", "name": "work"}],
        "initializationOptions": {"model": {"provider": "demo"}},
    },
}


def told(way: str) -> dict[str, object]:
    """Return what the program tells of the classes that were imported in this way."""
    command = [sys.executable, "-c", PROGRAM, way, json.dumps(MESSAGE)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, object] = json.loads(done.stdout)
    return result


def test_nothing_of_a_class_depends_on_when_it_was_finished() -> None:
    lazy, plain = told("lazy"), told("plain")
    waiting = lazy.pop("waiting")
    assert isinstance(waiting, int)
    assert waiting > 500
    assert plain.pop("waiting") == 0
    assert lazy == plain
    assert plain["equal"] is True
