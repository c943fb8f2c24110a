"""With quotes, commas, line feeds and another order of the columns."""

import csv
import io
import subprocess
import sys


def dedupe(rows):
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    command = [sys.executable, "dedupe.py"]
    shown = subprocess.run(command, input=text.getvalue().encode(), capture_output=True, check=True)
    return list(csv.reader(io.StringIO(shown.stdout.decode(), newline="")))


head = ["email", "note"]
rows = [["a@x", "one, two"], ["B@x", "line\nline"], ["A@X", "again"], ["b@x", ""], ["c@x", '"q"']]
assert dedupe([head, *rows]) == [head, rows[0], rows[1], rows[4]]
assert dedupe([head]) == [head]
