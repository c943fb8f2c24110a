"""Where the model that the settings mean is served, and the key for it.

``auto`` takes the first of

1. the settings: ``baseUrl``, which means an OpenAI-compatible server;
2. a key in the environment, in the order of ``VENDORS``;
3. a server on this machine that answers;
4. the demo model, unless the settings name a model or a key, which would be silently ignored.

``openai`` is the same without Anthropic and the demo; ``anthropic`` is Anthropic's protocol, at
``baseUrl`` or at Anthropic. A key is sent only to the vendor it belongs to, or where
``apiKeyEnv`` says so; a server on loopback needs none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias, assert_never

from perdure.errors import CommandError
from perdure.key_names import remember
from perdure.providers.endpoint import BaseUrl, parse_base_url, without_version
from perdure.providers.vendors import ANTHROPIC, LOCAL_SERVERS, VENDORS, Vendor, WireProtocol

if TYPE_CHECKING:
    from perdure.providers.model_settings import ModelSettings

Probe: TypeAlias = Callable[[BaseUrl], Awaitable[str | None]]
"""Asks a server on loopback for its first model; None when it does not answer."""


@dataclass(frozen=True, slots=True)
class Configured:
    """A model server. ``model`` is "" when nothing says which one, ``key`` when there is none.

    ``key_env`` is the name of the variable that holds the key.
    """

    protocol: WireProtocol
    base_url: BaseUrl
    model: str = ""
    key: str = field(default="", repr=False)
    key_env: str = ""


async def find_configured(
    settings: ModelSettings, environ: Mapping[str, str], probe: Probe | None
) -> Configured | None:
    """Return the server that the settings mean, None for the demo model.

    ``probe`` None looks for no local server. Raises CommandError ``provider_not_configured`` with
    a sentence that says what to do.
    """
    match settings.provider:
        case "demo":
            return None
        case "anthropic":
            return await _anthropic(settings, environ, probe)
        case "openai" | "auto":
            found = await _find(settings, environ, probe)
            is_said = settings.provider == "openai" or settings.name or settings.api_key_env
            if found is None and is_said:
                raise _nothing_found()
            return found
        case _:
            assert_never(settings.provider)


def not_configured(message: str) -> CommandError:
    """Return the error of settings under which no model can be asked."""
    return CommandError(message, code="provider_not_configured")


async def _find(
    settings: ModelSettings, environ: Mapping[str, str], probe: Probe | None
) -> Configured | None:
    if settings.base_url:
        return await _at_base_url(settings, environ, probe)
    for vendor in VENDORS:
        is_wanted = settings.provider in ("auto", vendor.protocol)
        is_named = settings.api_key_env in ("", vendor.key_env)
        if is_wanted and is_named and environ.get(vendor.key_env):
            return _at_vendor(settings, vendor, environ)
    if settings.api_key_env or probe is None:
        return None
    base_urls = [_parsed(server.base_url) for server in LOCAL_SERVERS]
    models = await asyncio.gather(*(probe(base_url) for base_url in base_urls))
    for base_url, model in zip(base_urls, models, strict=True):
        if model is not None:
            return Configured("openai", base_url, settings.name or model)
    return None


async def _at_base_url(
    settings: ModelSettings, environ: Mapping[str, str], probe: Probe | None
) -> Configured:
    base_url = _parsed(settings.base_url)
    vendor = next((v for v in VENDORS if _parsed(v.base_url).host == base_url.host), None)
    model = settings.name or (vendor.model if vendor else "")
    if not model and base_url.is_loopback and probe is not None:
        model = await probe(base_url) or ""
    key_env = _key_env(base_url, settings, vendor)
    return Configured("openai", base_url, model, _key(key_env, environ), key_env)


async def _anthropic(
    settings: ModelSettings, environ: Mapping[str, str], probe: Probe | None
) -> Configured:
    base_url = without_version(_parsed(settings.base_url or ANTHROPIC.base_url))
    vendor = ANTHROPIC if base_url == _parsed(ANTHROPIC.base_url) else None
    model = settings.name or (vendor.model if vendor else "")
    if not model and base_url.is_loopback and probe is not None:
        model = await probe(replace(base_url, path=f"{base_url.path}/v1")) or ""
    key_env = _key_env(base_url, settings, vendor)
    return Configured("anthropic", base_url, model, _key(key_env, environ), key_env)


def _at_vendor(settings: ModelSettings, vendor: Vendor, environ: Mapping[str, str]) -> Configured:
    return Configured(
        vendor.protocol,
        _parsed(vendor.base_url),
        settings.name or vendor.model,
        _key(vendor.key_env, environ),
        vendor.key_env,
    )


def _parsed(text: str) -> BaseUrl:
    base_url = parse_base_url(text)
    if base_url is None:
        raise not_configured(
            "model.baseUrl must be an http or https URL without a user name, "
            "for example http://127.0.0.1:11434/v1."
        )
    return base_url


def _key_env(base_url: BaseUrl, settings: ModelSettings, vendor: Vendor | None) -> str:
    name = settings.api_key_env or (vendor.key_env if vendor else "")
    if not name and not base_url.is_loopback:
        raise not_configured(
            f"No key is known for {base_url.authority}: set model.apiKeyEnv to the name of the "
            "environment variable that holds it."
        )
    return name


def _key(name: str, environ: Mapping[str, str]) -> str:
    if not name:
        return ""
    remember(name)
    key = environ.get(name, "").strip()
    if not key:
        raise not_configured(f"Set the environment variable {name} to the API key.")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise not_configured(f"The value of {name} is not an API key: it holds other characters.")
    return key


def _nothing_found() -> CommandError:
    keys = ", ".join(vendor.key_env for vendor in VENDORS)
    servers = ", ".join(server.name for server in LOCAL_SERVERS)
    return not_configured(
        "No model server was found: set model.baseUrl, or a key in the environment "
        f"({keys}), or start a local server ({servers})."
    )
