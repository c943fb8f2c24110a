"""The settings: their names, types and defaults.

Wire names are camelCase, Python names the same words in snake_case.
"""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel, ConfigDict, StringConstraints
from pydantic.alias_generators import to_camel

from perdure.tools.approval import Policy


class _Section(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        strict=True,
        frozen=True,
        allow_inf_nan=False,
    )


class ModelSettings(_Section):
    """Which model answers. 0 and "" mean: find out, or the provider's own default."""

    provider: Literal["auto", "openai", "anthropic", "demo"] = "auto"
    name: str = ""
    base_url: str = ""
    api_key_env: str = ""
    context_window: Annotated[int, Ge(0)] = 0
    max_output_tokens: Annotated[int, Ge(0)] = 0
    request_timeout_seconds: Annotated[float, Gt(0)] = 600


class ApprovalSettings(_Section):
    """What happens before a tool runs, per tool."""

    bash: Policy = "ask"
    write: Policy = "ask"
    edit: Policy = "ask"


class CompactionSettings(_Section):
    """When the context is summarised; ``threshold`` is a share of the context window."""

    auto: bool = True
    threshold: Annotated[float, Gt(0), Le(1)] = 0.8


class Settings(_Section):
    """All settings; every field has a default."""

    model: ModelSettings = ModelSettings()
    resume: Literal["auto", "ask", "never"] = "auto"
    approval: ApprovalSettings = ApprovalSettings()
    compaction: CompactionSettings = CompactionSettings()
    durability: Literal["process", "barrier", "full"] = "barrier"
    running_commands: Literal["kill", "keep"] = "kill"
    sessions_dir: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")] = ""
