"""Divide a list."""


def chunks(items, size):
    """Return the items in lists of ``size``; the last one may be shorter."""
    return [items[i : i + size] for i in range(0, len(items) - size + 1, size)]
