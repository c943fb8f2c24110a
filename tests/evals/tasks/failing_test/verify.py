"""Both faults are gone, and the check is as it was."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

CHECK = "2f75a448a71f15d10263e30b891bcc36db26954bc1ffc12976ecc35228171f99"

assert sha256(Path("check.py").read_bytes()).hexdigest() == CHECK
subprocess.run([sys.executable, "check.py"], check=True)
sys.path.insert(0, ".")
from cart import Cart

carts = [Cart(), Cart()]
carts[0].add("a", 5, 3)
carts[0].add("b", 2)
assert [cart.total() for cart in carts] == [17, 0]
