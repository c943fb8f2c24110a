"""Single values of the wire, and what the JSON Schemas say of them (session-format section 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeAlias

from annotated_types import Ge, Le

MAX_INTEGER = 2**53 - 1


class Pattern:
    """Annotation that puts ``pattern`` into the JSON Schema; pydantic calls it when it is used."""

    def __init__(self, regex: str) -> None:
        self.regex = regex

    def __get_pydantic_json_schema__(
        self, core_schema: object, handler: Callable[[object], dict[str, object]]
    ) -> dict[str, object]:
        return handler(core_schema) | {"pattern": self.regex}


Id: TypeAlias = Annotated[
    str, Pattern("^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
]
Digest: TypeAlias = Annotated[str, Pattern("^sha256:[0-9a-f]{64}$")]
Natural: TypeAlias = Annotated[int, Ge(0), Le(MAX_INTEGER)]
Positive: TypeAlias = Annotated[int, Ge(1), Le(MAX_INTEGER)]
