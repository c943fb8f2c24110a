"""The one function that raises the message."""

from pathlib import Path

assert Path("answer.txt").read_text().strip().strip("`()") == "reserve"
