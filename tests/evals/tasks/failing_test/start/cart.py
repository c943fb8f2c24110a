"""A shopping cart."""


class Cart:
    """Prices are in cents."""

    def __init__(self, lines=[]):
        self.lines = lines

    def add(self, name, cents, count=1):
        self.lines.append((name, cents, count))

    def total(self):
        return sum(cents for _, cents, count in self.lines)
