"""The section ``telemetry`` of the settings."""

from __future__ import annotations

from perdure.providers.model_settings import Section


class TelemetrySettings(Section):
    """Where spans go, "" for nowhere; ``content`` adds what was said to their metadata."""

    endpoint: str = ""
    content: bool = False
