"""The new name is everywhere, the similar one is left alone, and it runs."""

import re
import subprocess
import sys
from pathlib import Path

for name in ("store.py", "report.py", "main.py"):
    text = Path(name).read_text()
    assert not re.search(r"\bfetch\(|import fetch|\.fetch\b", text), name
    assert "load_rows" in text, name
assert "def prefetch" in Path("store.py").read_text()
shown = subprocess.run([sys.executable, "main.py"], capture_output=True, text=True, check=True)
assert shown.stdout == "2 first\n"
