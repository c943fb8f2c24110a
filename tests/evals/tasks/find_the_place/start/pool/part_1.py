"""Module 1."""


def take_1(amount):
    if amount > 10:
        raise ValueError("too much")
    return amount
