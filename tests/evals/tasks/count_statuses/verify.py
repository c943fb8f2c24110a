"""The counts are those of the log."""

import json
from collections import Counter
from pathlib import Path

lines = Path("server.log").read_text().splitlines()
assert len(lines) == 53
expected = Counter(line.rsplit(" ", 1)[1] for line in lines)
assert json.loads(Path("statuses.json").read_text()) == dict(expected)
