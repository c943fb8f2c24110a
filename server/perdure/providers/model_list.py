"""Asking an endpoint which models it offers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perdure.providers.configured import Configured, Probe, find_configured
from perdure.providers.http_client import ClientPool
from perdure.providers.known_models import known_model
from perdure.providers.local_server import first_model
from perdure.providers.offers import Offer, read_offers
from perdure.providers.origin import Origin
from perdure.providers.shapes import NotJson, as_object, parse_json
from perdure.providers.transport import Resource, failures_in_words, fetch, key_headers

if TYPE_CHECKING:
    from perdure.providers.model_settings import ModelSettings

MOST_OFFERS = 5_000
"""Ten times what the largest known list has; nobody chooses from more."""
_SECONDS = 30
_ENOUGH = 1000


@dataclass(frozen=True, slots=True)
class ModelList:
    """What ``host`` offers; ``current`` is the model that would be asked now, "" for none."""

    host: str
    current: str
    offers: tuple[Offer, ...]


async def list_models(
    settings: ModelSettings, environ: Mapping[str, str], probe: Probe | None = first_model
) -> ModelList:
    """Ask the endpoint that the settings mean, even where they name no model yet.

    Raises CommandError ``provider_not_configured``, ProviderError when the endpoint fails, both
    with a sentence that says what to do.
    """
    configured = await find_configured(settings, environ, probe)
    if configured is None:
        name = settings.name or "demo"
        return ModelList("demo", name, (Offer(name, settings.context_window or None),))
    offers = [_completed(offer, configured) for offer in (await _ask(configured))[:MOST_OFFERS]]
    return ModelList(configured.base_url.authority, configured.model, tuple(offers))


async def _ask(configured: Configured) -> list[Offer]:
    is_local = configured.base_url.is_loopback
    host = configured.base_url.authority
    origin = Origin(host, configured.key, key_env=configured.key_env, is_local=is_local)
    clients = ClientPool(origin, is_loopback=is_local)
    headers = key_headers(configured.protocol, configured.key)
    try:
        async with asyncio.timeout(_SECONDS), clients.client() as client:
            with failures_in_words(origin):
                answers = [await fetch(client, url, headers) for url in _urls(configured)]
    except TimeoutError as error:
        raise origin.failure("timeout", f"{host} did not list its models in time") from error
    finally:
        await clients.aclose()
    return _best(answers, origin)


def _urls(configured: Configured) -> list[str]:
    """Where the list may stand; on this machine also where older Ollamas keep it."""
    base_url = configured.base_url
    if configured.protocol == "anthropic":
        query = "&".join(filter(None, (base_url.query, f"limit={_ENOUGH}")))
        return [replace(base_url, query=query).url("/v1/models")]
    tags = [replace(base_url, path="").url("/api/tags")] if base_url.is_loopback else []
    return [base_url.url("/models"), *tags]


def _best(answers: list[Resource], origin: Origin) -> list[Offer]:
    """Return the first list that names models; without one the first answer counts."""
    lists = [_read(answer) for answer in answers]
    named = next((offers for offers in lists if offers), None)
    if named is not None:
        return named
    first = answers[0]
    if not first.is_success:
        raise origin.http_failure(first.status, first.headers, first.body, now=time.time())
    if lists[0] is None:
        words = f"{origin.host} did not answer with a list of models"
        raise origin.failure("bad_response", words)
    return []


def _read(answer: Resource) -> list[Offer] | None:
    """Return the models of an answer, None when it is no list."""
    try:
        value = as_object(parse_json(answer.body.decode("utf-8", "replace")))
    except NotJson:
        return None
    return read_offers(value) if {"data", "models"} & value.keys() else None


def _completed(offer: Offer, configured: Configured) -> Offer:
    """Add what the table knows to what the endpoint told."""
    known = known_model(configured.base_url.host, offer.name)
    return replace(
        offer,
        context_window=offer.context_window or known.context_window,
        prices=offer.prices or known.prices,
    )
