"""Module 10."""


def take_10(amount):
    if amount > 100:
        raise ValueError("too much")
    return amount
