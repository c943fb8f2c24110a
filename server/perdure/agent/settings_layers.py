"""Settings, merged from their layers.

Nothing here raises on a bad value: an unknown key is ignored, a wrong type leaves the value of the
layer below, and both are reported as a ``Problem`` that names the path and never the value, which
could be a key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from perdure.agent.settings import Settings, UserOnly
from perdure.json_types import JsonObject, JsonValue

NOT_HERE = "can only be set in the user's own config.toml, ignored"


class Layer(NamedTuple):
    """Values of one origin; ``values`` is whatever stood there, an object or not.

    ``of_user`` tells that no project can have written them.
    """

    source: str
    values: JsonValue
    of_user: bool = False


class Problem(NamedTuple):
    """One thing that is wrong with a layer; ``path`` is dotted, "" for the whole layer."""

    source: str
    path: str
    message: str

    def __str__(self) -> str:
        where = f"{self.source}: {self.path}" if self.path else self.source
        return f"{where}: {self.message}"


def load(layers: Iterable[Layer]) -> tuple[Settings, list[Problem]]:
    """Merge ``layers``, lowest first, over the defaults. Never raises."""
    merged: JsonObject = {}
    problems: list[Problem] = []
    for layer in layers:
        match layer.values:
            case None:
                continue
            case dict(values):
                accepted = _accepted(Settings, values, layer, "", problems)
                merged = _merge(merged, accepted)
            case _:
                problems.append(Problem(layer.source, "", "should be an object"))
    return Settings.model_validate(merged), problems


def user_config_file() -> Path:
    """Where the user's own ``config.toml`` is looked for."""
    import platformdirs

    return platformdirs.user_config_path("perdure") / "config.toml"


def file_layer(path: Path) -> tuple[Layer, list[Problem]]:
    """Read a TOML file with the keys of the settings; a missing one is an empty layer."""
    source = str(path)
    try:
        return Layer(source, tomllib.loads(path.read_text("utf-8")), of_user=True), []
    except FileNotFoundError:
        return Layer(source, None), []
    except OSError as error:
        problem = Problem(source, "", f"cannot be read ({error.strerror}): nothing in it counts")
    except (ValueError, RecursionError) as error:
        problem = Problem(source, "", f"is not valid TOML ({error}): nothing in it counts")
    return Layer(source, None), [problem]


def environment_layer(environ: Mapping[str, str]) -> Layer:
    """The settings that ``PERDURE_MODEL`` and ``PERDURE_BASE_URL`` make; empty means not set."""
    names = {"name": "PERDURE_MODEL", "baseUrl": "PERDURE_BASE_URL"}
    model: JsonObject = {key: environ[name] for key, name in names.items() if environ.get(name)}
    return Layer("environment", {"model": model}, of_user=True)


def _accepted(
    section: type[BaseModel],
    values: Mapping[str, JsonValue],
    layer: Layer,
    prefix: str,
    problems: list[Problem],
) -> JsonObject:
    """Return the part of ``values`` that is valid; each key is judged alone. Null means unset."""
    fields = {field.alias: _section_of(field) for field in section.model_fields.values()}
    named = {field.alias: _section_of_each(field) for field in section.model_fields.values()}
    of_user = {field.alias for field in section.model_fields.values() if _is_of_user(field)}
    accepted: JsonObject = {}
    for key, value in values.items():
        path = f"{prefix}{key}"
        if key not in fields:
            problems.append(Problem(layer.source, path, "is not a setting of Perdure, ignored"))
        elif key in of_user and not layer.of_user:
            problems.append(Problem(layer.source, path, NOT_HERE))
        elif isinstance(value, dict) and (inner := fields[key]) is not None:
            accepted[key] = _accepted(inner, value, layer, f"{path}.", problems)
        elif isinstance(value, dict) and (each := named[key]) is not None:
            accepted[key] = _accepted_each(each, value, layer, f"{path}.", problems)
        elif value is not None:
            try:
                section.model_validate({key: value})
                accepted[key] = value
            except ValidationError as error:
                problems.append(Problem(layer.source, path, _sentence(error, layer)))
    return accepted


def _accepted_each(
    section: type[BaseModel],
    values: Mapping[str, JsonValue],
    layer: Layer,
    prefix: str,
    problems: list[Problem],
) -> JsonObject:
    """Do the same for sections that the user has named."""
    accepted: JsonObject = {}
    for name, value in values.items():
        if isinstance(value, dict):
            accepted[name] = _accepted(section, value, layer, f"{prefix}{name}.", problems)
        elif value is not None:
            problems.append(
                Problem(layer.source, f"{prefix}{name}", "should be an object, ignored")
            )
    return accepted


def _is_of_user(field: FieldInfo) -> bool:
    return any(isinstance(mark, UserOnly) for mark in field.metadata)


def _section_of_each(field: FieldInfo) -> type[BaseModel] | None:
    """Return the section of a field that maps names to sections."""
    match get_args(field.annotation):
        case (_, type() as each) if issubclass(each, BaseModel):
            return each
        case _:
            return None


def _section_of(field: FieldInfo) -> type[BaseModel] | None:
    annotation = field.annotation
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return None


def _sentence(error: ValidationError, layer: Layer) -> str:
    """Say what was expected, and what counts: under the user's own layer lie the defaults."""
    expected = error.errors(include_input=False, include_url=False)[0]["msg"]
    counts = "the default counts" if layer.of_user else "it does not count"
    return f"{expected[0].lower()}{expected[1:]}; {counts}"


def _merge(below: JsonObject, above: JsonObject) -> JsonObject:
    merged = dict(below)
    for key, value in above.items():
        current = merged.get(key)
        if isinstance(current, dict) and isinstance(value, dict):
            merged[key] = _merge(current, value)
        else:
            merged[key] = value
    return merged
