"""Module 6."""


def take_6(amount):
    if amount > 60:
        raise ValueError("too much")
    return amount
