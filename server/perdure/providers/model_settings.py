"""The section ``model`` of the settings: the one description of which model is meant.

Imported where settings are loaded; the other modules here only name its type, so that choosing a
provider needs no pydantic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from perdure.json_types import JsonValue
from perdure.providers.thinking import Thinking


class Section(BaseModel):
    """A part of the settings: camelCase on the wire, strict, frozen."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        strict=True,
        frozen=True,
        allow_inf_nan=False,
    )


@dataclass(frozen=True, slots=True)
class Careful:
    """Marks a setting that has values which allow less than others: these, the usual one first.

    Who writes a wrong value wanted something, so it never counts as one that allows more: what
    the lower layers say counts if it is one of ``values``, else the first of them.
    """

    values: tuple[JsonValue, ...]


class PriceSettings(Section):
    """What a million tokens cost; None means: as known. Without the first two it says nothing."""

    input: Annotated[float, Ge(0)] | None = None
    output: Annotated[float, Ge(0)] | None = None
    cache_read: Annotated[float, Ge(0)] | None = None
    cache_write: Annotated[float, Ge(0)] | None = None


class ModelSettings(Section):
    """Which model answers. 0 and "" mean: find out, or the provider's own default."""

    provider: Literal["auto", "openai", "anthropic", "demo"] = "auto"
    name: str = ""
    base_url: str = ""
    api_key_env: str = ""
    context_window: Annotated[int, Ge(0)] = 0
    max_output_tokens: Annotated[int, Ge(0)] = 0
    request_timeout_seconds: Annotated[float, Gt(0)] = 600
    thinking: Thinking = "default"
    prices: PriceSettings = PriceSettings()
