"""The settings of a command that runs without an editor."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from perdure.agent.settings import Settings
from perdure.agent.settings_layers import (
    Layer,
    environment_layer,
    file_layer,
    user_config_file,
)
from perdure.agent.settings_loading import load
from perdure.json_types import JsonObject


def load_settings(environ: Mapping[str, str], options: JsonObject | None = None) -> Settings:
    """Merge ``config.toml``, the environment and the command line; report problems once."""
    user, problems = file_layer(user_config_file())
    layers = (user, environment_layer(environ), Layer("command line", options or {}, of_user=True))
    settings, more = load(layers)
    for problem in (*problems, *more):
        print(f"perdure: {problem}", file=sys.stderr)
    return settings
