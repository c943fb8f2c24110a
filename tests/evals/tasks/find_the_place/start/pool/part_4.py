"""Module 4."""


def take_4(amount):
    if amount > 40:
        raise ValueError("too much")
    return amount
