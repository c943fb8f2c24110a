"""Module 5."""


def take_5(amount):
    if amount > 50:
        raise ValueError("too much")
    return amount
