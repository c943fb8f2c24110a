"""Module 7."""


def take_7(amount):
    if amount > 70:
        raise ValueError("too much")
    return amount


def reserve(amount):
    if amount < 0:
        raise ValueError("quota " + "exceeded")
    return -amount
