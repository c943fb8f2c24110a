"""Where settings come from, and what may be wrong with them there."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from perdure.json_types import JsonObject, JsonValue

_LOST = (
    "nothing in it counts; until it can be read, and where nothing else says otherwise, "
    "the workspace is not trusted, commands run in the sandbox and secrets are masked"
)


class Layer(NamedTuple):
    """Values of one origin; ``values`` is whatever stood there, an object or not.

    ``of_user`` tells that no project can have written them, ``lost`` that there are some which
    cannot be read.
    """

    source: str
    values: JsonValue
    of_user: bool = False
    lost: bool = False


class Problem(NamedTuple):
    """One thing that is wrong with a layer; ``path`` is dotted, "" for the whole layer."""

    source: str
    path: str
    message: str

    def __str__(self) -> str:
        where = f"{self.source}: {self.path}" if self.path else self.source
        return f"{where}: {self.message}"


def user_config_file() -> Path:
    """Where the user's own ``config.toml`` is looked for."""
    import platformdirs

    return platformdirs.user_config_path("perdure") / "config.toml"


def file_layer(path: Path) -> tuple[Layer, list[Problem]]:
    """Read a TOML file with the keys of the settings; a missing one is an empty layer.

    What one that cannot be read says is lost, and told as a problem.
    """
    source = str(path)
    try:
        return Layer(source, tomllib.loads(path.read_text("utf-8")), of_user=True), []
    except FileNotFoundError:
        return Layer(source, None), []
    except OSError as error:
        problem = Problem(source, "", f"cannot be read ({error.strerror}): {_LOST}")
    except (ValueError, RecursionError) as error:
        problem = Problem(source, "", f"is not valid TOML ({error}): {_LOST}")
    return Layer(source, None, of_user=True, lost=True), [problem]


def environment_layer(environ: Mapping[str, str]) -> Layer:
    """The settings that ``PERDURE_MODEL`` and ``PERDURE_BASE_URL`` make; empty means not set."""
    names = {"name": "PERDURE_MODEL", "baseUrl": "PERDURE_BASE_URL"}
    model: JsonObject = {key: environ[name] for key, name in names.items() if environ.get(name)}
    return Layer("environment", {"model": model}, of_user=True)
