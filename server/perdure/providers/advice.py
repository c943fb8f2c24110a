"""What the user can do about a failed model request, in words. Pure."""

from __future__ import annotations

import re

from perdure.providers.base import ErrorCode

TOO_LONG = "Compact the session or start a new one."
_WAIT = re.compile(r"It asks to wait (\d{1,10}(?:\.\d{1,3})?) s\.$")

_NO_TOOLS = re.compile(
    r"does not support tools|tools? (?:param|use|calling).*(?:--jinja|not supported)"
    r"|no endpoints found that support tool use|--enable-auto-tool-choice",
    re.IGNORECASE | re.DOTALL,
)
_NO_SUCH_MODEL = re.compile(
    r"not a valid model|invalid model|model not exist|model.* not found|unknown model",
    re.IGNORECASE,
)
_THINKING = re.compile(
    r"reasoning[_.]effort|output_config|\bthinking\b.*(?:support|unknown|unrecognized|valid"
    r"|not permitted|not allowed)|does not support thinking",
    re.IGNORECASE | re.DOTALL,
)
_BAD_KEY = re.compile(r"api key not valid|(?:invalid|incorrect) api key", re.IGNORECASE)
_ADVICE: dict[ErrorCode, str] = {
    "permission": "The key may not do this: ask for access, or choose another model.name.",
    "billing": "Add credit to the account, or choose another model.",
    "context_overflow": TOO_LONG,
    "request_too_large": TOO_LONG,
    "not_found": "Check model.name (`perdure models` lists what there is) and model.baseUrl.",
    "redirect": "Check the setting model.baseUrl; redirects are not followed.",
    "content_filter": "Put the request in other words, or choose another model.",
    "tool_call_malformed": "Ask again, or choose a model that is better at calling tools.",
    "rate_limit": "Wait before you ask again.",
    "overloaded": "Ask again later.",
}
_NOT_RUNNING = "Start the local model server, or check the setting model.baseUrl."
_NOT_REACHABLE = "Check the network, and the setting model.baseUrl."
_NO_KEY = "No API key was sent: set model.apiKeyEnv to the environment variable that holds it."
_CHOOSE_TOOLS = (
    "Perdure needs a model that can call tools: choose another model.name; llama.cpp must be "
    "started with --jinja, vLLM with --enable-auto-tool-choice and --tool-call-parser."
)
_NO_THINKING = "Set model.thinking to another word; `default` leaves it to the model."
_SILENT = "Ask again, or raise model.requestTimeoutSeconds when the model is slow."


def wait(milliseconds: int) -> str:
    """Return a sentence for the wait that a server asks for."""
    return f"It asks to wait {in_seconds(milliseconds / 1000)}."


def in_seconds(seconds: float) -> str:
    """Return a duration in words, to the millisecond."""
    return f"{seconds:.3f}".rstrip("0").rstrip(".") + " s"


def is_too_long(message: str) -> bool:
    """Whether a failed request, of which the log keeps only the message, was too long."""
    return TOO_LONG in message


def seconds_to_wait(message: str) -> float | None:
    """Return the wait that the message of a failed request tells, None without one."""
    found = _WAIT.search(message)
    return float(found[1]) if found else None


def advice(code: ErrorCode, text: str, *, key: str | None, is_local: bool) -> str:
    """Return a sentence for an error with this text, "" where there is nothing to say.

    ``key`` names the variable of the key that was sent, "" if unknown, None when none was sent.
    """
    if code in ("invalid_request", "not_found", "server") and _NO_TOOLS.search(text):
        return _CHOOSE_TOOLS
    if code == "invalid_request" and _THINKING.search(text):
        return _NO_THINKING
    is_about_key = code == "auth" or (code == "invalid_request" and _BAD_KEY.search(text))
    if (is_about_key or code == "permission") and key is None:
        return _NO_KEY
    if is_about_key:
        return f"The key was refused: check {key or 'it'}, and that it belongs to model.baseUrl."
    if code == "invalid_request" and _NO_SUCH_MODEL.search(text):
        return _ADVICE["not_found"]
    if code == "network":
        return _NOT_RUNNING if is_local else _NOT_REACHABLE
    if code == "timeout" and "was silent" in text:
        return _SILENT
    return _ADVICE.get(code, "")
