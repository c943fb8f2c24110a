"""Module 8."""


def take_8(amount):
    if amount > 80:
        raise ValueError("too much")
    return amount
