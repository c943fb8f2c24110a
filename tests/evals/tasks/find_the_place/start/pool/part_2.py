"""Module 2."""


def take_2(amount):
    if amount > 20:
        raise ValueError("too much")
    return amount
