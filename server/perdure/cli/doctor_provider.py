"""Which model would answer, and why. Nothing is sent to any service; no key is ever printed."""

from __future__ import annotations

from collections.abc import Mapping

from perdure.agent.settings import Settings
from perdure.cli.finding import Finding
from perdure.errors import CommandError
from perdure.providers import registry
from perdure.providers.base import ProviderIdentity
from perdure.providers.model_settings import ModelSettings
from perdure.providers.vendors import VENDORS

_HOW_TO = (
    "for a real model set a key in the environment, start a local model server, "
    "or set model.baseUrl."
)


async def provider(settings: Settings, environ: Mapping[str, str]) -> Finding:
    """Choose the provider as a run would, and say what decided."""
    try:
        chosen = await registry.select(settings.model, environ)
    except CommandError as error:
        return Finding("problem", "provider", "no model can be used.", str(error))
    identity = chosen.identity
    await chosen.aclose()
    words = f"{identity.provider}, model {identity.model}, {identity.routing}"
    reason = _reason(settings.model, identity, environ)
    if identity.provider == "demo":
        return Finding("note", "provider", f"{words}: {reason}.", _HOW_TO)
    return Finding("ok", "provider", f"{words}: {reason}.")


def keys(environ: Mapping[str, str]) -> Finding:
    """Say which variables hold a key, by name only."""
    names = [vendor.key_env for vendor in VENDORS]
    present = [name for name in names if environ.get(name)]
    if present:
        return Finding("ok", "keys", f"set: {', '.join(present)}.")
    return Finding("note", "keys", f"none of {', '.join(names)} is set.")


def _reason(settings: ModelSettings, identity: ProviderIdentity, environ: Mapping[str, str]) -> str:
    if settings.provider == "demo":
        return "the settings say so"
    if identity.provider == "demo":
        return "nothing is configured and no local server answers"
    if settings.base_url:
        return "model.baseUrl is set"
    if settings.api_key_env:
        return f"model.apiKeyEnv names {settings.api_key_env}"
    for vendor in VENDORS:
        if vendor.protocol == identity.provider and environ.get(vendor.key_env):
            return f"{vendor.key_env} is set"
    return "a server on this machine answers"
