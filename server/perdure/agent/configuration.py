"""The configuration of one run, frozen when the loop starts (session-format section 10)."""

from __future__ import annotations

from dataclasses import dataclass

from perdure.core.canonical import digest
from perdure.core.declarations import ToolDeclaration
from perdure.core.plans import CurrentConfiguration, CurrentTool
from perdure.core.records import ConfigurationSnapshot, ToolReference
from perdure.json_types import JsonObject
from perdure.providers.base import Provider
from perdure.tools.base import ToolSet
from perdure.tools.registry import declaration_of


@dataclass(frozen=True, slots=True)
class Configuration:
    """Everything that decides what the model is asked and what its calls do."""

    provider: Provider
    system_prompt: str
    tools: ToolSet
    snapshot: ConfigurationSnapshot
    current: CurrentConfiguration


def freeze(
    *, provider: Provider, system_prompt: str, tools: ToolSet, environment_identity: str
) -> Configuration:
    """Compute the identity of these parts. The order of the tools counts."""
    declarations = [declaration_of(tool) for tool in tools.tools]
    digests = [definition_digest(declaration) for declaration in declarations]
    identity = provider.identity
    snapshot: ConfigurationSnapshot = {
        "model": identity.model,
        "systemPromptDigest": digest(system_prompt),
        "tools": [
            ToolReference(name=declaration.definition.name, definitionDigest=value)
            for declaration, value in zip(declarations, digests, strict=True)
        ],
        "adapterIdentity": identity.adapter,
        "routingIdentity": identity.routing,
        "outputOptionsDigest": digest(identity.output_options),
    }
    current = CurrentConfiguration(
        configuration_digest=snapshot_digest(snapshot),
        environment_identity=environment_identity,
        tools=tuple(
            CurrentTool(
                name=declaration.definition.name,
                definition_digest=value,
                replay=declaration.replay,
                replay_key=declaration.replay_key,
            )
            for declaration, value in zip(declarations, digests, strict=True)
        ),
    )
    return Configuration(provider, system_prompt, tools, snapshot, current)


def snapshot_digest(snapshot: ConfigurationSnapshot) -> str:
    """Return the ``configurationDigest`` of a snapshot."""
    tools: list[JsonObject] = [
        {"name": tool["name"], "definitionDigest": tool["definitionDigest"]}
        for tool in snapshot["tools"]
    ]
    return digest(
        {
            "model": snapshot["model"],
            "systemPromptDigest": snapshot["systemPromptDigest"],
            "tools": [*tools],
            "adapterIdentity": snapshot["adapterIdentity"],
            "routingIdentity": snapshot["routingIdentity"],
            "outputOptionsDigest": snapshot["outputOptionsDigest"],
        }
    )


def definition_digest(declaration: ToolDeclaration) -> str:
    """Return the digest of the model-facing definition."""
    return digest(definition_value(declaration))


def definition_value(declaration: ToolDeclaration) -> JsonObject:
    """Return the model-facing definition as the object that its digest is of."""
    definition = declaration.definition
    return {
        "name": definition.name,
        "description": definition.description,
        "parameters": definition.parameters,
    }
