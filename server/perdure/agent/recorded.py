"""Going on as it was recorded: the configuration of a step, put together again.

The model's name, the system prompt and the tools are those of the step, as far as they are still
available; the connection, its keys and everything that is no part of the identity are those of
the present settings. Nothing is written: the next operation has the present configuration again.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from perdure.agent.assembly import Assembly
from perdure.agent.configuration import Configuration, freeze
from perdure.agent.kept_configurations import kept_object, kept_prompt
from perdure.agent.settings import Settings
from perdure.core.explain import Difference, differences
from perdure.core.records import ConfigurationSnapshot
from perdure.errors import CommandError
from perdure.json_types import JsonObject
from perdure.providers.thinking import thinking_of
from perdure.tools.base import Tool
from perdure.tools.registry import Tools


async def recorded_configuration(
    assembly: Assembly, settings: Settings, snapshot: ConfigurationSnapshot, data: Path
) -> Configuration:
    """Return a configuration that has the identity of ``snapshot``.

    ``data`` is the own folder of its session. Raises ``CommandError`` ``not_found`` that names
    what is no longer available, and ``provider_not_configured``.
    """
    options = await asyncio.to_thread(kept_object, data, snapshot["outputOptionsDigest"])
    now = await assembly.configuration(_with_model(settings, snapshot["model"], options))
    prompt = await asyncio.to_thread(kept_prompt, data, snapshot["systemPromptDigest"])
    restored = freeze(
        provider=now.provider,
        system_prompt=now.system_prompt if prompt is None else prompt,
        tools=Tools(_recorded_tools(now, snapshot)),
        environment_identity=now.current.environment_identity,
    )
    missing = list(differences(snapshot, restored.snapshot))
    if missing:
        raise CommandError(_sentence(missing), code="not_found")
    return restored


def _with_model(settings: Settings, name: str, options: JsonObject | None) -> Settings:
    """Return the settings for a model; its options are a limit of tokens, and how to think."""
    changes: dict[str, str | int] = {"name": name}
    if options is not None:
        limits = [limit for limit in options.values() if isinstance(limit, int)]
        changes["max_output_tokens"] = limits[0] if limits else 0
        changes["thinking"] = thinking_of(options)
    model = settings.model.model_copy(update=changes)
    return settings.model_copy(update={"model": model})


def _recorded_tools(now: Configuration, snapshot: ConfigurationSnapshot) -> list[Tool]:
    """Return the recorded tools that are still the same, in the recorded order."""
    present = {tool["name"]: tool["definitionDigest"] for tool in now.snapshot["tools"]}
    same = (
        now.tools.get(tool["name"])
        for tool in snapshot["tools"]
        if present.get(tool["name"]) == tool["definitionDigest"]
    )
    return [tool for tool in same if tool is not None]


def _sentence(missing: list[Difference]) -> str:
    names = ", ".join(f"{difference.field} ({difference.recorded})" for difference in missing)
    return (
        f"The recorded configuration cannot be restored; no longer available: {names}. "
        "Bring it back in the settings, or abort the operation."
    )
