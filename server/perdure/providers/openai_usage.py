"""Token counts of chat-completions servers in the one form of a usage fact."""

from __future__ import annotations

from perdure.core.facts import UsageCounters
from perdure.json_types import JsonObject, JsonValue
from perdure.providers.shapes import as_list, as_natural, as_object


def usage_of_chunk(chunk: JsonObject) -> UsageCounters | None:
    """Return the counts of one chunk, wherever the server put them; None without any."""
    first_choice = as_object(next(iter(as_list(chunk.get("choices"))), None))
    places = (
        chunk.get("usage"),
        first_choice.get("usage"),
        as_object(chunk.get("x_groq")).get("usage"),
    )
    return next((usage for usage in map(_counters, places) if usage is not None), None)


def _counters(value: JsonValue) -> UsageCounters | None:
    """``prompt_tokens`` includes what was read from and written to caches, ``input`` does not."""
    usage = as_object(value)
    if "prompt_tokens" not in usage and "completion_tokens" not in usage:
        return None
    details = as_object(usage.get("prompt_tokens_details"))
    cache_read = (
        as_natural(details.get("cached_tokens"))
        or as_natural(usage.get("prompt_cache_hit_tokens"))
        or as_natural(usage.get("cached_tokens"))
    )
    cache_write = as_natural(details.get("cache_write_tokens")) or as_natural(
        usage.get("cache_write_tokens")
    )
    prompt = as_natural(usage.get("prompt_tokens"))
    return {
        "input": max(0, prompt - cache_read - cache_write),
        "output": as_natural(usage.get("completion_tokens")),
        "cacheRead": cache_read,
        "cacheWrite": cache_write,
    }
