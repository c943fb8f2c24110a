"""Module 9."""


def take_9(amount):
    if amount > 90:
        raise ValueError("too much")
    return amount
