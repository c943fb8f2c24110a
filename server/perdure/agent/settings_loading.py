"""Settings, merged from their layers.

Nothing here raises on a bad value: an unknown key is ignored, a wrong type leaves the value of the
layer below, or a careful one where the setting has such (``Careful``), and so does each value of a
layer that cannot be read. All of it is reported as a ``Problem`` that names the path and never the
value, which could be a key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from perdure.agent.settings import Settings, UserOnly
from perdure.agent.settings_layers import Layer, Problem
from perdure.json_types import JsonObject, JsonValue
from perdure.providers.model_settings import Careful

NOT_HERE = "can only be set in the user's own config.toml, ignored"


def load(layers: Iterable[Layer]) -> tuple[Settings, list[Problem]]:
    """Merge ``layers``, lowest first, over the defaults. Never raises."""
    merged: JsonObject = {}
    problems: list[Problem] = []
    for layer in layers:
        match layer.values:
            case None if layer.lost:
                merged = _merge(merged, _careful_section(Settings, merged) or {})
            case None:
                continue
            case dict(values):
                accepted = _Judge(layer, problems).section(Settings, values, merged, "")
                merged = _merge(merged, accepted)
            case _:
                problems.append(Problem(layer.source, "", "should be an object"))
    return Settings.model_validate(merged), problems


class _Judge:
    """Tells what of a layer counts, and adds what is wrong with it to ``problems``.

    Each key is judged alone; null means unset. ``below`` is what the lower layers say at the same
    place, ``prefix`` the path of that place with its dot.
    """

    def __init__(self, layer: Layer, problems: list[Problem]) -> None:
        self._layer = layer
        self._problems = problems

    def section(
        self, section: type[BaseModel], values: JsonObject, below: JsonValue, prefix: str
    ) -> JsonObject:
        """Return what counts of ``values``."""
        fields = {field.alias: field for field in section.model_fields.values()}
        accepted: JsonObject = {}
        for key, value in values.items():
            path = f"{prefix}{key}"
            field = fields.get(key)
            if field is None:
                self._report(path, "is not a setting of Perdure, ignored")
            elif _is_of_user(field) and not self._layer.of_user:
                self._report(path, NOT_HERE)
            elif isinstance(value, dict) and (inner := _section_of(field)) is not None:
                accepted[key] = self.section(inner, value, _member(below, key), f"{path}.")
            elif isinstance(value, dict) and (each := _section_of_each(field)) is not None:
                accepted[key] = self._named(each, value, _member(below, key), f"{path}.")
            elif value is not None:
                try:
                    section.model_validate({key: value})
                    accepted[key] = value
                except ValidationError as error:
                    careful = _careful(field, _member(below, key))
                    self._report(path, f"{_expected(error)}; {self._what_counts(careful)}")
                    if careful is not None:
                        accepted[key] = careful
        return accepted

    def _named(
        self, each: type[BaseModel], values: JsonObject, below: JsonValue, prefix: str
    ) -> JsonObject:
        """Return what counts of sections that the user has named."""
        accepted: JsonObject = {}
        for name, value in values.items():
            path = f"{prefix}{name}"
            if isinstance(value, dict):
                accepted[name] = self.section(each, value, _member(below, name), f"{path}.")
            elif value is not None:
                careful = _careful_section(each, _member(below, name))
                self._report(path, f"should be an object; {self._what_counts(careful)}")
                if careful is not None:
                    accepted[name] = careful
        return accepted

    def _report(self, path: str, sentence: str) -> None:
        self._problems.append(Problem(self._layer.source, path, sentence))

    def _what_counts(self, careful: JsonValue) -> str:
        """Say what counts instead; under the user's own layer lie the defaults."""
        match careful:
            case None:
                return "the default counts" if self._layer.of_user else "it does not count"
            case dict():
                return "the careful values count"
            case _:
                return f"{json.dumps(careful)} counts"


def _careful(field: FieldInfo, below: JsonValue) -> JsonValue:
    """Return what counts of a setting whose value is wrong; None: what lies below."""
    for mark in field.metadata:
        if isinstance(mark, Careful):
            return below if below in mark.values else mark.values[0]
    if (section := _section_of(field)) is not None:
        return _careful_section(section, below)
    if (each := _section_of_each(field)) is not None and isinstance(below, dict):
        return {name: _careful_section(each, values) for name, values in below.items()}
    return None


def _careful_section(section: type[BaseModel], below: JsonValue) -> JsonObject | None:
    """Return the same for all settings of a section; None where none of them has such a value."""
    careful: JsonObject = {}
    for field in section.model_fields.values():
        key = str(field.alias)
        value = _careful(field, _member(below, key))
        if value is not None:
            careful[key] = value
    return careful or None


def _is_of_user(field: FieldInfo) -> bool:
    return any(isinstance(mark, UserOnly) for mark in field.metadata)


def _section_of(field: FieldInfo) -> type[BaseModel] | None:
    annotation = field.annotation
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return None


def _section_of_each(field: FieldInfo) -> type[BaseModel] | None:
    """Return the section of a field that maps names to sections."""
    match get_args(field.annotation):
        case (_, type() as each) if issubclass(each, BaseModel):
            return each
        case _:
            return None


def _expected(error: ValidationError) -> str:
    message = error.errors(include_input=False, include_url=False)[0]["msg"]
    message = message.removeprefix("Value error, ")  # what our own validators say
    return f"{message[0].lower()}{message[1:]}"


def _member(value: JsonValue, key: str) -> JsonValue:
    return value.get(key) if isinstance(value, dict) else None


def _merge(below: JsonObject, above: JsonObject) -> JsonObject:
    merged = dict(below)
    for key, value in above.items():
        current = merged.get(key)
        if isinstance(current, dict) and isinstance(value, dict):
            merged[key] = _merge(current, value)
        else:
            merged[key] = value
    return merged
