"""Error envelopes, codes and the text that the user reads."""

from __future__ import annotations

import json

import pytest

from perdure.providers.base import ErrorCode
from perdure.providers.errors import Complaint, classify, read_body
from perdure.providers.origin import Origin

OVERFLOWS = [
    "This model's maximum context length is 8192 tokens",
    "Your input exceeds the context window of this model",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "The input token count (9) exceeds the maximum number of tokens allowed (8)",
    "This model's maximum prompt length is 131072",
    "Please reduce the length of the messages or completion",
    "Prompt contains 9 tokens, too large for model with 8 maximum context length",
    "the number of tokens is greater than the context length",
    "Context size has been exceeded.",
    "the prompt is longer than the context length currently available",
]


@pytest.mark.parametrize("text", OVERFLOWS)
def test_overflow_texts(text: str) -> None:
    assert classify(Complaint(text), 400) == "context_overflow"
    assert classify(Complaint(text), 429) == "rate_limit"


ENVELOPES: list[tuple[object, str]] = [
    ({"error": {"message": "m", "type": "t", "code": None}}, "m"),
    ({"error": "m"}, "m"),
    ([{"error": {"code": 400, "message": "m"}}], "m"),
    ({"object": "error", "message": "m", "type": "t"}, "m"),
    ({"detail": "m"}, "m"),
    ({"detail": [{"msg": "m"}, {"msg": "n"}]}, "m; n"),
    ({"message": "m"}, "m"),
    ({"type": "error", "error": {"type": "t", "message": "m"}}, "m"),
    ({"status": 429, "error": "LABEL", "message": "m"}, "m"),
    ({"error": {"message": "generic", "metadata": {"raw": '{"error":{"message":"m"}}'}}}, "m"),
    ({"error": {"message": '{"error":{"message":"m"}}'}}, "m"),
    ({}, ""),
]


@pytest.mark.parametrize(("value", "message"), ENVELOPES)
def test_envelopes(value: object, message: str) -> None:
    assert read_body(json.dumps(value).encode()).message == message


@pytest.mark.parametrize(
    ("body", "message"),
    [(b"", ""), (b"oops", "oops"), (b"<html><title>502 Bad</title></html>", "502 Bad")],
)
def test_bodies_that_are_not_json(body: bytes, message: str) -> None:
    assert read_body(body).message == message


STATUSES: list[tuple[int, ErrorCode, bool]] = [
    (302, "redirect", False),
    (400, "invalid_request", False),
    (401, "auth", False),
    (402, "billing", False),
    (403, "permission", False),
    (404, "not_found", False),
    (408, "timeout", True),
    (413, "request_too_large", False),
    (422, "invalid_request", False),
    (429, "rate_limit", True),
    (500, "server", True),
    (503, "overloaded", True),
    (504, "timeout", True),
    (529, "overloaded", True),
]


@pytest.mark.parametrize(("status", "code", "retryable"), STATUSES)
def test_statuses(status: int, code: ErrorCode, retryable: bool) -> None:
    error = Origin("models.example").http_failure(status, {}, b"", now=0)
    assert (error.code, error.retryable, error.http_status) == (code, retryable, status)
    assert "models.example" in str(error)


@pytest.mark.hazard("429 with Retry-After: the message gives the wait")
@pytest.mark.parametrize(
    ("headers", "ms"),
    [
        ({"retry-after": "7"}, 7000),
        ({"retry-after": "30", "retry-after-ms": "300"}, 300),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:10 GMT"}, 60_000),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], ms: int | None) -> None:
    error = Origin("models.example").http_failure(429, headers, b"", now=10)
    assert error.retry_after_ms == ms
    assert ("asks to wait" in str(error)) == (ms is not None)


@pytest.mark.hazard("the provider key appears in no session, log or trace")
@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: the-Key-1.",
        "header Authorization: Bearer abc.def is wrong",
        "key sk-abcdefghijkl is revoked",
        "POST https://models.example/v1?api-version=2&key=hidden failed",
    ],
)
def test_secrets_stay_out_of_the_text(text: str) -> None:
    error = Origin("models.example", "the-Key-1").failure("auth", text)
    for secret in ("the-Key-1", "abc.def", "abcdefghijkl", "hidden"):
        assert secret not in str(error)
    assert "the-Key-1" not in repr(Origin("models.example", "the-Key-1"))


def test_long_and_broken_texts_are_made_fit_to_show() -> None:
    text = str(Origin("h").failure("server", "a\n\nb \ud83d" + "x" * 2000))
    assert text.startswith("a b \ufffdxxx")
    assert len(text) < 700


@pytest.mark.parametrize(
    ("origin", "status", "text", "words"),
    [
        (Origin("h", "key"), 401, "bad", "key was refused"),
        (Origin("h", "key", key_env="MY_KEY"), 401, "bad", "check MY_KEY"),
        (Origin("h"), 401, "bad", "set model.apiKeyEnv"),
        (Origin("h"), 403, "bad", "set model.apiKeyEnv"),
        (Origin("h", "key"), 403, "bad", "ask for access"),
        (Origin("h", "key"), 402, "bad", "Add credit"),
        (Origin("h", "key"), 404, "no such model", "`perdure models`"),
        (Origin("h"), 400, "llama does not support tools", "can call tools"),
        (Origin("h"), 500, "tools param requires --jinja flag", "--jinja"),
        (
            Origin("h"),
            400,
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser',
            "can call tools",
        ),
        (Origin("h"), 400, '"qwen" does not support thinking', "model.thinking"),
        (Origin("h"), 400, "Unsupported value: 'reasoning_effort' is 'low'", "model.thinking"),
        (Origin("h"), 400, "thinking.type.disabled: Input should be valid", "model.thinking"),
        (
            Origin("h"),
            400,
            "output_config.effort: Extra inputs are not permitted",
            "model.thinking",
        ),
        (Origin("h", "k"), 400, "No endpoints found that support tool use.", "can call tools"),
        (Origin("h", "key"), 400, "API key not valid. Please pass a valid API key.", "was refused"),
        (Origin("h"), 400, "API key not valid.", "set model.apiKeyEnv"),
        (Origin("h", "key"), 400, "nonsense is not a valid model ID", "`perdure models`"),
        (Origin("h", "key"), 400, "Invalid model: nonsense", "`perdure models`"),
        (Origin("h", "key"), 400, "Model Not Exist", "`perdure models`"),
        (Origin("h"), 404, "model 'x' not found, try pulling it first", "`perdure models`"),
        (Origin("h"), 400, "maximum context length is 8192", "Compact the session"),
        (Origin("h"), 413, "", "Compact the session"),
        (Origin("h"), 429, "slow", "Wait"),
        (Origin("h"), 529, "busy", "later"),
    ],
)
def test_a_sentence_says_what_to_do(origin: Origin, status: int, text: str, words: str) -> None:
    body = json.dumps({"error": {"message": text}}).encode()
    assert words in str(origin.http_failure(status, {}, body, now=0))


@pytest.mark.parametrize(
    ("origin", "words"),
    [(Origin("h", is_local=True), "Start the local model server"), (Origin("h"), "the network")],
)
def test_an_endpoint_that_cannot_be_reached(origin: Origin, words: str) -> None:
    assert words in str(origin.failure("network", "Cannot connect to h"))
