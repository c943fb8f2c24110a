"""Only the version of the package has changed."""

from pathlib import Path

lines = [b"; written on Windows", b"[package]", b"name = tool", b"version = 1.5.0"]
lines += [b"", b"[needs]", b"other = 1.4.0", b""]
assert Path("setup.ini").read_bytes() == b"\r\n".join(lines)
