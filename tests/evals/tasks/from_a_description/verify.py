"""Each of the five rules."""

import sys

sys.path.insert(0, ".")
from slug import slug

assert slug("Hello World") == "hello-world"
assert slug("  C++ & Rust!  ") == "c-rust"
assert slug("a__b--c") == "a-b-c"
assert slug("...") == "untitled"
assert slug("") == "untitled"
assert slug("x" * 40) == "x" * 30
assert slug("a" * 29 + " b") == "a" * 29
assert slug("Version 2.0") == "version-2-0"
