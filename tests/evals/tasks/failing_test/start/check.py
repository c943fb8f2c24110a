from cart import Cart

first = Cart()
first.add("pen", 150, 2)
assert first.total() == 300, first.total()
assert Cart().total() == 0, Cart().total()
print("ok")
