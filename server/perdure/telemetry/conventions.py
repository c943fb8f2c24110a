"""The attributes of spans: those of GenAI in OpenTelemetry, and those of OpenInference.

Metadata only: names, ids, usage, outcomes and the codes of errors. What the user, the model or a
tool has said is added by ``contents``, which is called where the user has turned that on.
"""

from __future__ import annotations

from perdure.core.facts import UsageCounters
from perdure.core.records import ConfigurationSnapshot
from perdure.telemetry.span import Value

AGENT = "perdure"


def operation(session_id: str, operation_id: str, kind: str) -> dict[str, Value]:
    """A run or a compaction."""
    return {
        "openinference.span.kind": "AGENT",
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": AGENT,
        "gen_ai.conversation.id": session_id,
        "session.id": session_id,
        "perdure.operation.id": operation_id,
        "perdure.operation.kind": kind,
    }


def request(session_id: str, snapshot: ConfigurationSnapshot, attempt: int) -> dict[str, Value]:
    """One request to a model."""
    model = snapshot["model"]
    provider = snapshot["adapterIdentity"].partition(":")[0]
    return {
        "openinference.span.kind": "LLM",
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": model,
        "gen_ai.conversation.id": session_id,
        "session.id": session_id,
        "llm.model_name": model,
        "llm.provider": provider,
        "perdure.attempt": attempt,
    }


def tool(session_id: str, name: str, call_id: str) -> dict[str, Value]:
    """One call of a tool."""
    return {
        "openinference.span.kind": "TOOL",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call_id,
        "gen_ai.conversation.id": session_id,
        "session.id": session_id,
        "tool.name": name,
    }


def usage(counters: UsageCounters) -> dict[str, Value]:
    """Tokens. Both conventions count cached ones as part of the input."""
    read, written = counters["cacheRead"], counters["cacheWrite"]
    prompt = counters["input"] + read + written
    return {
        "gen_ai.usage.input_tokens": prompt,
        "gen_ai.usage.output_tokens": counters["output"],
        "gen_ai.usage.cache_read.input_tokens": read,
        "gen_ai.usage.cache_creation.input_tokens": written,
        "llm.token_count.prompt": prompt,
        "llm.token_count.completion": counters["output"],
        "llm.token_count.total": prompt + counters["output"],
        "llm.token_count.prompt_details.cache_read": read,
        "llm.token_count.prompt_details.cache_write": written,
    }


def ending(outcome: str, error: str, *, recovered: bool) -> dict[str, Value]:
    """How something ended; ``recovered``: an earlier process had begun it."""
    attributes: dict[str, Value] = {"perdure.outcome": outcome}
    if error:
        attributes["error.type"] = error
    if recovered:
        attributes["perdure.recovery"] = True
    return attributes


def contents(said: str | None, answered: str | None) -> dict[str, Value]:
    """What went in and what came out; None where that is not known."""
    attributes: dict[str, Value] = {}
    if said is not None:
        attributes["input.value"] = said
    if answered is not None:
        attributes["output.value"] = answered
    return attributes
