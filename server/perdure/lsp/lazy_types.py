"""lsprotocol's classes, each finished when it is first used.

lsprotocol defines 550 classes with attrs, of which a session uses some sixty. Generating the
methods of all, and resolving their annotations, is more than half of the time that a server needs
to start. Nothing of what a class does changes; it is done later, and for most never.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from threading import RLock
from typing import Any, TypeAlias

import attrs

Define: TypeAlias = Callable[..., Any]

_ATTRIBUTES = "__attrs_attrs__"
"""Where attrs keeps the fields of a class, and looks to see whether it is one of its own."""

_INITIALIZE = "__init__"


def load_lazily() -> None:
    """Import ``lsprotocol.types`` with classes that wait; without effect when it is imported."""
    if "lsprotocol.types" in sys.modules:
        return
    define = attrs.define
    attrs.define = _postponed(define)
    try:
        import_module("lsprotocol.types")
    finally:
        attrs.define = define
    # This flag says that all annotations are resolved; each class sees to its own.
    from lsprotocol import _hooks

    vars(_hooks)["_resolved_forward_references"] = True


def _postponed(define: Define) -> Define:
    """Return a decorator that has ``define`` applied to a class when that is first needed."""

    def decorate(owner: type) -> type:
        waiting = _Waiting(owner, define)

        def initialize(instance: object, *args: object, **kwargs: object) -> None:
            waiting.finish()
            owner.__init__(instance, *args, **kwargs)  # type: ignore[misc]

        setattr(owner, _ATTRIBUTES, waiting)
        setattr(owner, _INITIALIZE, initialize)
        return owner

    return decorate


class _Waiting:
    """Stands where attrs keeps the fields of ``owner``; whoever looks gets the finished class's."""

    def __init__(self, owner: type, define: Define) -> None:
        self._owner = owner
        self._define = define

    def __get__(self, instance: object, kind: type) -> object:
        self.finish()
        return getattr(kind, _ATTRIBUTES)

    def finish(self) -> None:
        """Let attrs complete the class in place, once, whichever thread comes first."""
        with _finishing:
            if vars(self._owner).get(_ATTRIBUTES) is not self:
                return
            from lsprotocol import types

            delattr(self._owner, _ATTRIBUTES)
            delattr(self._owner, _INITIALIZE)
            self._define(self._owner, slots=False)
            attrs.resolve_types(self._owner, dict(types.ALL_TYPES_MAP), {})


_finishing = RLock()
