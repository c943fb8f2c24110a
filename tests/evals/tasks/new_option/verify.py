"""With the option and without it."""

import subprocess
import sys


def greet(*words):
    command = [sys.executable, "greet.py", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


assert greet("Ada") == "Hello, Ada!\n"
assert greet("Ada", "--shout") == "HELLO, ADA!\n"
assert greet("--shout", "Ada") == "HELLO, ADA!\n"
assert "--shout" in greet("--help")
