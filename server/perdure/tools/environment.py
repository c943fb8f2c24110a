"""What commands inherit of the server's environment: everything but the keys of providers."""

from __future__ import annotations

from collections.abc import Collection, Mapping

_PROVIDERS = (
    "ANTHROPIC",
    "AZURE_OPENAI",
    "CEREBRAS",
    "COHERE",
    "DEEPSEEK",
    "FIREWORKS",
    "GEMINI",
    "GOOGLE",
    "GROQ",
    "HF",
    "HUGGINGFACE",
    "MISTRAL",
    "OPENAI",
    "OPENROUTER",
    "TOGETHER",
    "XAI",
)
_KINDS = ("API_KEY", "AUTH_TOKEN", "TOKEN")
PROVIDER_KEYS = frozenset(f"{provider}_{kind}" for provider in _PROVIDERS for kind in _KINDS)
"""Variables in which the known model providers expect their keys."""


def without_secrets(environment: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    """Return the environment without provider keys and without the variables in ``names``."""
    return {
        name: value
        for name, value in environment.items()
        if name not in PROVIDER_KEYS and name not in names
    }
