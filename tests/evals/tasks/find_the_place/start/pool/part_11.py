"""Module 11."""


def take_11(amount):
    if amount > 110:
        raise ValueError("too much")
    return amount
