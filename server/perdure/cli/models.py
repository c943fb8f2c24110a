"""``perdure models``: what the configured endpoint offers, and which model would answer."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Sequence

from perdure.cli.exit_codes import OK
from perdure.cli.help_text import plain
from perdure.cli.settings import load_settings
from perdure.providers.model_list import ModelList, list_models
from perdure.providers.offers import Offer


def run(argv: Sequence[str]) -> int:
    """Print one model a line. Raises CommandError and ProviderError, which say what to do."""
    argparse.ArgumentParser(prog="perdure models", description=plain(__doc__)).parse_args(argv)
    found = asyncio.run(list_models(load_settings(os.environ).model, os.environ))
    if not found.offers:
        print(f"{found.host} offers no model.")
        return OK
    width = max(len(offer.name) for offer in found.offers)
    print(f"{found.host} offers, * is the model that would be asked now:")
    for offer in found.offers:
        print(_line(offer, found, width))
    if found.current not in [offer.name for offer in found.offers]:
        print(f"The model that is configured, {found.current or 'none'}, is not in the list.")
    return OK


def _line(offer: Offer, found: ModelList, width: int) -> str:
    mark = "*" if offer.name == found.current else " "
    window = "" if offer.context_window is None else f"{offer.context_window:>9,} tokens"
    prices = offer.prices
    costs = "" if prices is None else f"  ${prices.input:g} in, ${prices.output:g} out per million"
    return f"{mark} {offer.name:<{width}}  {window}{costs}".rstrip()
