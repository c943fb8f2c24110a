"""Perdure's own LSP methods, and by topic the types of their messages: the only list of them.

Field names are the wire's. ``schemas/protocol.schema.json`` is generated from the types. They are
TypedDicts, because they are built on hot paths and need no import of pydantic.
"""
