"""What the code of the core hashes to: ``python -m tests.support.reducer_version`` records it.

Snapshots name the core that made them, so that no other reads them. What is recorded is part of
the code, and hence true of what is loaded, also while another version is being installed.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import perdure.core

COMMAND = "python -m tests.support.reducer_version"
CORE = Path(next(iter(perdure.core.__path__)))
RECORDED = CORE / "reducer" / "version.py"


def expected_text() -> str:
    """Return what ``version.py`` has to say."""
    digest = sha256()
    for path in sorted(CORE.rglob("*.py")):
        if path != RECORDED:
            digest.update(path.relative_to(CORE).as_posix().encode() + b"\0" + path.read_bytes())
    return (
        f'"""Which core this is. Written by ``{COMMAND}``."""\n\n'
        "from __future__ import annotations\n\n"
        f'REDUCER_VERSION = "{digest.hexdigest()[:32]}"\n'
        '"""Changes with every change of the code in ``perdure.core``."""\n'
    )


def main() -> None:
    """Write the file."""
    RECORDED.write_text(expected_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
