"""Module 3."""


def take_3(amount):
    if amount > 30:
        raise ValueError("too much")
    return amount


def release(amount):
    """Never says that the quota is exceeded."""
    return amount
