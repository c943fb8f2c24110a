"""The header line (session-format section 4)."""

from __future__ import annotations

from perdure.core.facts import Header
from perdure.core.ids import is_uuid7
from perdure.core.reducer.outcome import Refusal
from perdure.core.scalars import MAX_INTEGER
from perdure.core.state import SessionHeader
from perdure.json_types import JsonObject, JsonValue

VERSION = 2
_KEYS = frozenset(Header.__annotations__)


def header_of(value: JsonValue) -> SessionHeader:
    """Return the header that ``value`` is; raises Refusal.

    The version is judged only when there is no unknown key and the kind is right, so a file of
    another kind is not taken for a future version.
    """
    if not isinstance(value, dict) or not value.keys() <= _KEYS or value.get("kind") != "header":
        raise Refusal("INVALID_HEADER")
    version = value.get("version")
    if type(version) is not int or version != VERSION:
        raise Refusal("UNSUPPORTED_VERSION")
    session_id = value.get("id")
    if not is_uuid7(session_id):
        raise Refusal("INVALID_HEADER")
    created_at = value.get("createdAt")
    if type(created_at) is not int or not 0 <= created_at <= MAX_INTEGER:
        raise Refusal("INVALID_HEADER")
    return SessionHeader(
        id=session_id,
        created_at=created_at,
        cwd=_text(value, "cwd"),
        provider=_text(value, "provider"),
        model=_text(value, "model"),
        environment_identity=_text(value, "environmentIdentity"),
    )


def _text(header: JsonObject, key: str) -> str:
    value = header.get(key)
    if not isinstance(value, str) or not value:
        raise Refusal("INVALID_HEADER")
    return value
