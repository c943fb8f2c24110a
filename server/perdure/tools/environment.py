"""What commands inherit of the server's environment: everything but the keys of providers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

_PROVIDER_KEY = re.compile(
    r"(ANTHROPIC|OPENAI|AZURE_OPENAI|OPENROUTER|GEMINI|GOOGLE|MISTRAL|GROQ|DEEPSEEK|XAI|COHERE"
    r"|TOGETHER|FIREWORKS|CEREBRAS|PERPLEXITY|HUGGINGFACE|HF)(_[A-Z]+)?_(API_KEY|AUTH_TOKEN|TOKEN)"
    r"|HF_TOKEN"
)
"""Names of the variables that hold keys of the known model providers."""


def without_secrets(environment: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    """Return the environment without provider keys and without the variables in ``names``."""
    return {
        name: value
        for name, value in environment.items()
        if name not in names and _PROVIDER_KEY.fullmatch(name) is None
    }
