"""What the code of the reducer hashes to: ``python -m tests.support.reducer_version`` records it.

Snapshots name the reducer that made them, so that no other reads them. What is recorded is part
of the code, and hence true of what is loaded, also while another version is being installed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import perdure.core

COMMAND = "python -m tests.support.reducer_version"
CORE = Path(next(iter(perdure.core.__path__)))
RECORDED = CORE / "reducer" / "version.py"


def expected_text() -> str:
    """Return what ``version.py`` has to say."""
    digest = sha256()
    for path in sorted(_sources()):
        digest.update(path.relative_to(CORE).as_posix().encode() + b"\0" + path.read_bytes())
    return (
        f'"""Which reducer this is. Written by ``{COMMAND}``."""\n\n'
        "from __future__ import annotations\n\n"
        f'REDUCER_VERSION = "{digest.hexdigest()[:32]}"\n'
        '"""Changes with every change of the reducer, or of what it imports of the core."""\n'
    )


def _sources() -> set[Path]:
    """Return the modules of the reducer, and those of the core that they import, and so on."""
    found = set[Path]()
    waiting = [path for path in RECORDED.parent.glob("*.py") if path != RECORDED]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imported_by(path)
    return found


def _imported_by(path: Path) -> Iterator[Path]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("perdure.core."):
            module = CORE.joinpath(*(node.module or "").split(".")[2:]).with_suffix(".py")
            if module.is_file():
                yield module


def main() -> None:
    """Write the file."""
    RECORDED.write_text(expected_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
