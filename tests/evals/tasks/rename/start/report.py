from store import fetch, prefetch


def count(path):
    return len(fetch(path))


def total(paths):
    return sum(map(len, prefetch(paths)))
