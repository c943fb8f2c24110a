"""The services and local servers that Perdure knows by name, as data."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

WireProtocol: TypeAlias = Literal["openai", "anthropic"]


class Vendor(NamedTuple):
    """A public service: where its key is looked for, and the model when none is named.

    ``model`` is "" where no name stays valid for long enough to be written down here.
    """

    name: str
    key_env: str
    base_url: str
    model: str = ""
    protocol: WireProtocol = "openai"


class LocalServer(NamedTuple):
    """A model server on this machine, at the port it chooses by itself."""

    name: str
    base_url: str


ANTHROPIC = Vendor(
    "Anthropic",
    "ANTHROPIC_API_KEY",
    "https://api.anthropic.com",
    "claude-sonnet-5",
    protocol="anthropic",
)
VENDORS = (
    ANTHROPIC,
    Vendor("OpenAI", "OPENAI_API_KEY", "https://api.openai.com/v1", "gpt-5.1"),
    Vendor("OpenRouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1", "openrouter/auto"),
    Vendor("DeepSeek", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1", "deepseek-v4-pro"),
    Vendor("Groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1", "openai/gpt-oss-120b"),
    Vendor("Mistral", "MISTRAL_API_KEY", "https://api.mistral.ai/v1", "mistral-large-latest"),
    Vendor(
        "Gemini",
        "GEMINI_API_KEY",
        "https://generativelanguage.googleapis.com/v1beta/openai",
    ),
)
"""In the order in which a key in the environment decides."""

LOCAL_SERVERS = (
    LocalServer("Ollama", "http://127.0.0.1:11434/v1"),
    LocalServer("LM Studio", "http://127.0.0.1:1234/v1"),
    LocalServer("llama.cpp", "http://127.0.0.1:8080/v1"),
    LocalServer("vLLM", "http://127.0.0.1:8000/v1"),
)
"""All of them are asked at once; the first in this order that answers is taken."""
