"""The section ``telemetry`` of the settings."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from perdure.providers.model_settings import Section


def _url(endpoint: str) -> str:
    """Let a URL through, and none at all."""
    if endpoint and not endpoint.startswith(("http://", "https://")):
        raise ValueError("should be an http or https URL")
    return endpoint


class TelemetrySettings(Section):
    """Where spans go, "" for nowhere; ``content`` adds what was said to their metadata."""

    endpoint: Annotated[str, AfterValidator(_url)] = ""
    content: bool = False
