"""From the model settings to a provider.

``auto`` takes the first of

1. the settings: ``base_url``, which means an OpenAI-compatible server;
2. a key in the environment, in the order of ``VENDORS``;
3. a server on this machine that answers;
4. the demo model, unless the settings name a model or a key, which would be silently ignored.

``openai`` is the same without the demo. A key is sent only to the vendor it belongs to, or where
``api_key_env`` says so; a server on loopback needs none. ``ANTHROPIC_API_KEY`` is passed over by
``auto``, because there is no adapter for its protocol yet; the demo model then says so.
Importing this module costs no HTTP library.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, assert_never

from perdure.errors import CommandError
from perdure.providers.base import Provider
from perdure.providers.endpoint import BaseUrl, parse_base_url
from perdure.providers.local_server import LOCAL_SERVERS, first_model

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


VENDORS = (
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
            raise _not_configured(
                "This version does not speak Anthropic's protocol yet: set model.provider to "
                "openai and model.baseUrl to an OpenAI-compatible server."
            )
        case "openai" | "auto":
            found = await _find(settings, environ, probe)
            if found is not None:
                return found
            if settings.provider == "openai" or settings.name or settings.api_key_env:
                raise _nothing_found()
            return _demo(settings, _note(environ))
        case _:
            assert_never(settings.provider)


async def _find(
    settings: ModelSettings, environ: Mapping[str, str], probe: Probe | None
) -> Provider | None:
    if settings.base_url:
        return await _at_base_url(settings, environ, probe)
    for vendor in VENDORS:
        if settings.api_key_env in ("", vendor.key_env) and environ.get(vendor.key_env):
            return _at_vendor(settings, vendor, environ)
    if settings.api_key_env or probe is None:
        return None
    base_urls = [_parsed(text) for text in LOCAL_SERVERS]
    models = await asyncio.gather(*(probe(base_url) for base_url in base_urls))
    for base_url, model in zip(base_urls, models, strict=True):
        if model is not None:
            return _chat(settings, base_url, model, key="")
    return None


async def _at_base_url(
    settings: ModelSettings, environ: Mapping[str, str], probe: Probe | None
) -> Provider:
    base_url = _parsed(settings.base_url)
    vendor = next((v for v in VENDORS if _parsed(v.base_url).host == base_url.host), None)
    model = vendor.model if vendor else ""
    if not settings.name and not model and base_url.is_loopback and probe is not None:
        model = await probe(base_url) or ""
    key_env = settings.api_key_env or (vendor.key_env if vendor else "")
    if not key_env and not base_url.is_loopback:
        raise _not_configured(
            f"No key is known for {base_url.authority}: set model.apiKeyEnv to the name of the "
            "environment variable that holds it."
        )
    return _chat(settings, base_url, model, key=_key(key_env, environ) if key_env else "")


def _at_vendor(settings: ModelSettings, vendor: Vendor, environ: Mapping[str, str]) -> Provider:
    key = _key(vendor.key_env, environ)
    return _chat(settings, _parsed(vendor.base_url), vendor.model, key=key)


def _chat(settings: ModelSettings, base_url: BaseUrl, model: str, *, key: str) -> Provider:
    from perdure.providers.openai_chat import ChatModel, OpenAIChatProvider

    name = settings.name or model
    if not name:
        raise _not_configured(
            f"No model is chosen for {base_url.authority}: set model.name, or PERDURE_MODEL."
        )
    return OpenAIChatProvider(
        ChatModel(
            base_url=base_url,
            name=name,
            api_key=key,
            context_window=settings.context_window or None,
            max_output_tokens=settings.max_output_tokens or None,
            timeout_seconds=settings.request_timeout_seconds,
        )
    )


def _demo(settings: ModelSettings, note: str = "") -> Provider:
    from perdure.providers.scripted import ScriptedProvider

    return ScriptedProvider(
        model=settings.name or "demo", context_window=settings.context_window or None, note=note
    )


def _note(environ: Mapping[str, str]) -> str:
    if not environ.get("ANTHROPIC_API_KEY"):
        return ""
    return (
        "ANTHROPIC_API_KEY is set, but this version speaks only OpenAI's protocol: "
        "set model.baseUrl to a server that does."
    )


def _parsed(text: str) -> BaseUrl:
    base_url = parse_base_url(text)
    if base_url is None:
        raise _not_configured(
            "model.baseUrl must be an http or https URL without a user name, "
            "for example http://127.0.0.1:11434/v1."
        )
    return base_url


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
