"""From the model settings to a provider.

``auto`` takes the first of

1. the settings: ``base_url``, which means an OpenAI-compatible server;
2. a key in the environment, in the order of ``VENDORS``;
3. a server on this machine that answers;
4. the demo model, unless the settings name a model or a key, which would be silently ignored.

``openai`` is the same without Anthropic and the demo; ``anthropic`` is Anthropic's protocol, at
``base_url`` or at Anthropic. A key is sent only to the vendor it belongs to, or where
``api_key_env`` says so; a server on loopback needs none.
Importing this module costs no HTTP library.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, assert_never

from perdure.errors import CommandError
from perdure.providers.base import Provider
from perdure.providers.endpoint import BaseUrl, parse_base_url
from perdure.providers.local_server import LOCAL_SERVERS, first_model

if TYPE_CHECKING:
    from perdure.providers.remote import RemoteModel

Probe: TypeAlias = Callable[[BaseUrl], Awaitable[str | None]]
"""Asks a server on loopback for its first model; None when it does not answer."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The section ``model`` of the settings; 0 and "" mean: by provider, or unknown."""

    provider: Literal["auto", "openai", "anthropic", "demo"] = "auto"
    name: str = ""
    base_url: str = ""
    api_key_env: str = ""
    context_window: int = 0
    max_output_tokens: int = 0
    request_timeout_seconds: float = 600


class Vendor(NamedTuple):
    """A public service: where its key is looked for, and the model when none is named."""

    key_env: str
    base_url: str
    model: str
    provider: Literal["openai", "anthropic"] = "openai"


ANTHROPIC = Vendor(
    "ANTHROPIC_API_KEY", "https://api.anthropic.com", "claude-sonnet-5", provider="anthropic"
)
VENDORS = (
    ANTHROPIC,
    Vendor("OPENAI_API_KEY", "https://api.openai.com/v1", "gpt-5"),
    Vendor("OPENROUTER_API_KEY", "https://openrouter.ai/api/v1", "openrouter/auto"),
    Vendor("DEEPSEEK_API_KEY", "https://api.deepseek.com/v1", "deepseek-chat"),
    Vendor("GROQ_API_KEY", "https://api.groq.com/openai/v1", "openai/gpt-oss-120b"),
    Vendor("MISTRAL_API_KEY", "https://api.mistral.ai/v1", "mistral-large-latest"),
)


async def select(
    settings: ModelSettings, environ: Mapping[str, str], probe: Probe | None = first_model
) -> Provider:
    """Return the provider that the settings mean; ``probe`` None looks for no local server.

    Raises CommandError ``provider_not_configured`` with a sentence that says what to do.
    """
    match settings.provider:
        case "demo":
            return _demo(settings)
        case "anthropic":
            return await _anthropic(settings, environ, probe)
        case "openai" | "auto":
            found = await _find(settings, environ, probe)
            if found is not None:
                return found
            if settings.provider == "openai" or settings.name or settings.api_key_env:
                raise _nothing_found()
            return _demo(settings)
        case _:
            assert_never(settings.provider)


async def _find(
    settings: ModelSettings, environ: Mapping[str, str], probe: Probe | None
) -> Provider | None:
    if settings.base_url:
        return await _at_base_url(settings, environ, probe)
    for vendor in VENDORS:
        is_wanted = settings.provider in ("auto", vendor.provider)
        is_named = settings.api_key_env in ("", vendor.key_env)
        if is_wanted and is_named and environ.get(vendor.key_env):
            return _at_vendor(settings, vendor, environ)
    if settings.api_key_env or probe is None:
        return None
    base_urls = [_parsed(text) for text in LOCAL_SERVERS]
    models = await asyncio.gather(*(probe(base_url) for base_url in base_urls))
    for base_url, model in zip(base_urls, models, strict=True):
        if model is not None:
            return _openai(settings, base_url, model, key="")
    return None


async def _at_base_url(
    settings: ModelSettings, environ: Mapping[str, str], probe: Probe | None
) -> Provider:
    base_url = _parsed(settings.base_url)
    vendor = next((v for v in VENDORS if _parsed(v.base_url).host == base_url.host), None)
    model = vendor.model if vendor else ""
    if not settings.name and not model and base_url.is_loopback and probe is not None:
        model = await probe(base_url) or ""
    key = _key_for(base_url, settings, vendor, environ)
    return _openai(settings, base_url, model, key=key)


async def _anthropic(
    settings: ModelSettings, environ: Mapping[str, str], probe: Probe | None
) -> Provider:
    from perdure.providers.anthropic_messages import AnthropicProvider, without_version

    base_url = without_version(_parsed(settings.base_url or ANTHROPIC.base_url))
    vendor = ANTHROPIC if base_url == _parsed(ANTHROPIC.base_url) else None
    model = vendor.model if vendor else ""
    if not settings.name and not model and base_url.is_loopback and probe is not None:
        model = await probe(replace(base_url, path=f"{base_url.path}/v1")) or ""
    key = _key_for(base_url, settings, vendor, environ)
    return AnthropicProvider(_remote_model(settings, base_url, model, key=key))


def _at_vendor(settings: ModelSettings, vendor: Vendor, environ: Mapping[str, str]) -> Provider:
    key = _key(vendor.key_env, environ)
    base_url = _parsed(vendor.base_url)
    if vendor.provider == "openai":
        return _openai(settings, base_url, vendor.model, key=key)
    from perdure.providers.anthropic_messages import AnthropicProvider

    return AnthropicProvider(_remote_model(settings, base_url, vendor.model, key=key))


def _openai(settings: ModelSettings, base_url: BaseUrl, model: str, *, key: str) -> Provider:
    from perdure.providers.openai_chat import OpenAIChatProvider

    return OpenAIChatProvider(_remote_model(settings, base_url, model, key=key))


def _remote_model(
    settings: ModelSettings, base_url: BaseUrl, model: str, *, key: str
) -> RemoteModel:
    from perdure.providers.remote import RemoteModel

    name = settings.name or model
    if not name:
        raise _not_configured(
            f"No model is chosen for {base_url.authority}: set model.name, or PERDURE_MODEL."
        )
    return RemoteModel(
        base_url=base_url,
        name=name,
        api_key=key,
        context_window=settings.context_window or None,
        max_output_tokens=settings.max_output_tokens or None,
        timeout_seconds=settings.request_timeout_seconds,
    )


def _demo(settings: ModelSettings) -> Provider:
    from perdure.providers.scripted import ScriptedProvider

    return ScriptedProvider(
        model=settings.name or "demo", context_window=settings.context_window or None
    )


def _parsed(text: str) -> BaseUrl:
    base_url = parse_base_url(text)
    if base_url is None:
        raise _not_configured(
            "model.baseUrl must be an http or https URL without a user name, "
            "for example http://127.0.0.1:11434/v1."
        )
    return base_url


def _key_for(
    base_url: BaseUrl, settings: ModelSettings, vendor: Vendor | None, environ: Mapping[str, str]
) -> str:
    name = settings.api_key_env or (vendor.key_env if vendor else "")
    if not name and not base_url.is_loopback:
        raise _not_configured(
            f"No key is known for {base_url.authority}: set model.apiKeyEnv to the name of the "
            "environment variable that holds it."
        )
    return _key(name, environ) if name else ""


def _key(name: str, environ: Mapping[str, str]) -> str:
    key = environ.get(name, "").strip()
    if not key:
        raise _not_configured(f"Set the environment variable {name} to the API key.")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise _not_configured(f"The value of {name} is not an API key: it holds other characters.")
    return key


def _nothing_found() -> CommandError:
    names = ", ".join(vendor.key_env for vendor in VENDORS)
    return _not_configured(
        "No model server was found: set model.baseUrl, or a key in the environment "
        f"({names}), or start a local server."
    )


def _not_configured(message: str) -> CommandError:
    return CommandError(message, code="provider_not_configured")
