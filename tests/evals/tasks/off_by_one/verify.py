"""Every item is in exactly one chunk."""

import sys

sys.path.insert(0, ".")
from chunks import chunks

assert chunks([1, 2, 3, 4, 5], 2) == [[1, 2], [3, 4], [5]]
assert chunks([1, 2, 3, 4], 2) == [[1, 2], [3, 4]]
assert chunks([1], 3) == [[1]]
assert chunks([], 3) == []
