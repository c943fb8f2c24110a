"""Rows from a file."""


def fetch(path):
    """Return the lines of a file; see also prefetch."""
    with open(path) as file:
        return file.read().splitlines()


def prefetch(paths):
    """Call fetch for many files."""
    return [fetch(path) for path in paths]
