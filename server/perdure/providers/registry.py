"""From the model settings to a provider. Importing this module costs no HTTP library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, assert_never

from perdure.providers.base import Provider
from perdure.providers.configured import Configured, Probe, find_configured, not_configured
from perdure.providers.local_server import first_model
from perdure.providers.prices import Prices, prices_of

if TYPE_CHECKING:
    from perdure.providers.model_settings import ModelSettings
    from perdure.providers.remote import RemoteModel


async def select(
    settings: ModelSettings, environ: Mapping[str, str], probe: Probe | None = first_model
) -> Provider:
    """Return the provider that the settings mean; ``probe`` None looks for no local server.

    Raises CommandError ``provider_not_configured`` with a sentence that says what to do.
    """
    configured = await find_configured(settings, environ, probe)
    if configured is None:
        return _demo(settings)
    model = _remote_model(settings, configured)
    match configured.protocol:
        case "openai":
            from perdure.providers.openai_chat import OpenAIChatProvider

            return OpenAIChatProvider(model)
        case "anthropic":
            from perdure.providers.anthropic_messages import AnthropicProvider

            return AnthropicProvider(model)
        case _:
            assert_never(configured.protocol)


def _remote_model(settings: ModelSettings, configured: Configured) -> RemoteModel:
    from perdure.providers.remote import RemoteModel

    if not configured.model:
        raise not_configured(
            f"No model is chosen for {configured.base_url.authority}: set model.name, or "
            "PERDURE_MODEL; `perdure models` lists what there is."
        )
    return RemoteModel(
        base_url=configured.base_url,
        name=configured.model,
        api_key=configured.key,
        key_env=configured.key_env,
        context_window=settings.context_window or None,
        max_output_tokens=settings.max_output_tokens or None,
        timeout_seconds=settings.request_timeout_seconds,
        thinking=settings.thinking,
        prices=_prices(settings),
    )


def _demo(settings: ModelSettings) -> Provider:
    from perdure.providers.scripted import ScriptedProvider

    return ScriptedProvider(
        model=settings.name or "demo",
        context_window=settings.context_window or None,
        prices=_prices(settings),
    )


def _prices(settings: ModelSettings) -> Prices | None:
    given = settings.prices
    return prices_of(given.input, given.output, given.cache_read, given.cache_write)
