"""Worlds to explore: each is small in some respects, so that it is complete in others."""

from __future__ import annotations

from collections.abc import Mapping

from tests.property.explorer.world import Bounds

LONG_TALK = ("calls safe, never, safe", "stop", "calls never, safe", "calls safe", "stop")
"""Two runs, after which there is something to compact."""

EFFECTS = ("safe", "never")

ORDINARY: Mapping[str, Bounds] = {
    "two calls": Bounds(calls=2, steps=1, operations="r", kinds=(*EFFECTS, "ill-formed")),
    "two steps": Bounds(calls=1, steps=2, operations="r"),
    "power cuts": Bounds(calls=1, steps=1, operations="r", power=True),
    "a compaction": Bounds(calls=1, steps=1, operations="rrcr", opening=LONG_TALK),
    "an added user entry": Bounds(calls=1, steps=1, operations="r", kinds=EFFECTS, added=1),
}
"""Explored completely in every run of the tests."""

EXHAUSTIVE: Mapping[str, Bounds] = {
    "two calls": Bounds(calls=2, steps=1, operations="r"),
    "three steps": Bounds(calls=1, steps=3, operations="r"),
    "three steps that cannot be run": Bounds(
        calls=1, steps=3, operations="r", kinds=("unknown", "ill-formed"), power=True
    ),
    "power cuts in two steps": Bounds(calls=1, steps=2, operations="r", power=True),
    "power cuts in two calls": Bounds(calls=2, steps=1, operations="r", kinds=EFFECTS, power=True),
    "a compaction": Bounds(calls=1, steps=1, operations="rrcr", opening=LONG_TALK, power=True),
    "a compaction with an added user entry": Bounds(
        calls=1, steps=1, operations="rrcr", opening=LONG_TALK, added=1
    ),
    "added user entries": Bounds(calls=1, steps=2, operations="r", added=2),
    "two runs": Bounds(calls=1, steps=1, operations="rr", power=True),
    "three calls": Bounds(calls=3, steps=1, operations="r", kinds=EFFECTS),
    "everything": Bounds(calls=3, steps=3, operations="rrcr", power=True),
}
"""Explored one after the other until the number of states that was asked for is reached."""
