"""What the core must know of a tool: its definition for the model and its replay policy."""

from __future__ import annotations

from dataclasses import dataclass

from perdure.core.records import Replay
from perdure.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """The model-facing part; its canonical JSON is the ``definitionDigest`` (section 10)."""

    name: str
    description: str
    parameters: JsonObject


@dataclass(frozen=True, slots=True)
class ToolDeclaration:
    """A definition with the policy that recovery needs.

    ``replay`` is ``safe`` for exactly the built-in ``read`` (section 14.5).
    """

    definition: ToolDefinition
    replay: Replay
    replay_key: str
