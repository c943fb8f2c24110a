"""Which texts are secrets with high confidence, and that masking is stable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.log import session
from tests.support.resume import state_of

from perdure.core.context import model_messages
from perdure.core.masking import ResultMasks, masked
from perdure.core.reducer import Reduced, reduce_session

A = "A1b2C3d4E5f6G7h8I9j0"
BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n{BODY}==\n-----END RSA PRIVATE KEY-----"
ENCRYPTED = PEM.replace("-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES,0F\n\n", 1)
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N"


@pytest.mark.hazard("`.env` values, `sk-…`, `ghp_…`, PEM blocks in tool output")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"a {PEM} b", "a [masked: private key] b"),
        (ENCRYPTED, "[masked: private key]"),
        (PEM.replace("\n", "\\n"), "[masked: private key]"),
        (f"{PEM}\n{PEM}", "[masked: private key]\n[masked: private key]"),
        (f"-----BEGIN PRIVATE KEY-----\n{BODY}\n[cut]", "[masked: private key]\n[cut]"),
        (f"key sk-proj-{A}.", "key [masked: API key]."),
        (f"'sk-ant-api03-{A}-{A}'", "'[masked: API key]'"),
        (f"gsk_{A}", "[masked: API key]"),
        (f"ghp_{A}{A}", "[masked: GitHub token]"),
        (f"github_pat_{A}_{A}", "[masked: GitHub token]"),
        (f"glpat-{A}", "[masked: GitLab token]"),
        ("AKIAIOSFODNN7EXAMPLE", "[masked: AWS key]"),
        (f"xoxb-123456789012-{A}", "[masked: Slack token]"),
        (f"AIza{A}{A[:15]}", "[masked: Google key]"),
        (f"npm_{A}{A[:16]}", "[masked: registry token]"),
        (f"sk_live_{A}", "[masked: Stripe key]"),
        (f"token={JWT}", "token=[masked: JSON web token]"),
        ("Authorization: Bearer abcdefgh", "Authorization: Bearer [masked: credentials]"),
        ('"authorization": "Basic YWxhZGRpbg=="', '"authorization": "Basic [masked: credentials]"'),
        ("postgres://me:hunter2@db/x", "postgres://me:[masked: password]@db/x"),
        ("DB_PASSWORD=hunter22", "DB_PASSWORD=[masked: secret]"),
        ("export API_KEY='a b c d e f'\nX=1", "export API_KEY=[masked: secret]\nX=1"),
        (f'.env:3:SECRET_KEY_BASE="{A}"', ".env:3:SECRET_KEY_BASE=[masked: secret]"),
        ("  - GITHUB_TOKEN=abcdef123", "  - GITHUB_TOKEN=[masked: secret]"),
    ],
)
def test_what_is_masked(text: str, expected: str) -> None:
    assert masked(text) == expected
    assert masked(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[masked: API key]",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        'if line == "-----BEGIN PUBLIC KEY-----":',
        "task-sk-learn sk-folding-cube-animation-fast",
        "sk-short1",
        f"prefix_ghp_{A}{A}",
        "AKIAIOSFODNN7EXAMPLEX",
        "MAX_TOKENS=4096000",
        "TOKENIZERS_PARALLELISM=false_value",
        "API_KEY=$OPENAI_API_KEY",
        'API_KEY="${OPENAI_API_KEY}"',
        "API_KEY=<your key here>",
        "API_KEY=",
        "API_KEY=none",
        'API_KEY=os.environ["API_KEY"]',
        "PASSWORD=getpass()",
        "api_key = settings.api_key",
        "KEY=abcdefgh",
        "git@github.com:me/project.git",
        "https://example.org:8080/a@b",
        "https://user:${PASSWORD}@host",
        "Authorization: Bearer $TOKEN",
        "eyJhbGciOiJIUzI1NiJ9 is the head of a token",
        "a 40 digit hash 356a192b7913b04c54574d18c28d46e6395428ab",
    ],
)
def test_what_is_left_alone(text: str) -> None:
    assert masked(text) == text


PIECES = [PEM, f"sk-{A}", JWT, "API_KEY=", "'abcdefg'", f"ghp_{A}{A}", "://a:", "bcd@", "-----"]
PIECES += ["-----BEGIN PRIVATE KEY-----", "\n", " ", '"', "[masked: x]", "Authorization: Basic "]


@given(st.lists(st.sampled_from(PIECES)))
def test_masking_twice_changes_nothing(parts: list[str]) -> None:
    once = masked("".join(parts))
    assert masked(once) == once


def test_only_results_are_masked_and_only_in_the_context() -> None:
    secret = f"sk-{A}"
    log = session().prompt(secret).attempt("read").calls(("read", {"path": secret})).started(0)
    reduced = reduce_session(log.result(0, secret).to_bytes())
    assert isinstance(reduced, Reduced)
    state = ResultMasks().applied(reduced.state)
    assert state.transcript == reduced.state.transcript
    user, answer, result = model_messages(state)
    assert [user, answer] == list(reduced.state.active_context[:2])
    assert result == {**reduced.state.active_context[2], "content": "[masked: API key]"}


def test_a_context_that_grew_or_was_compacted_is_masked_as_if_it_were_new() -> None:
    masks = ResultMasks()
    log = session().prompt("go")
    for number in range(3):
        log.attempt("read").calls(("read", {"path": "a"})).started(0)
        before = masks.applied(state_of(log.result(0, f"{number} sk-{A}").to_bytes()))
    log.attempt().answer("done").finish()
    log.compact(keep=3).attempt().summary().finish()
    state = state_of(log.to_bytes())
    after = [masks.applied(state), masks.applied(state), ResultMasks().applied(state)]
    assert [message["content"] for message in before.active_context[2::2]] == [
        f"{number} [masked: API key]" for number in range(3)
    ]
    assert [one.active_context[:] for one in after[:2]] == [after[2].active_context[:]] * 2
    assert all(a is b for a, b in zip(*(one.active_context for one in after[:2]), strict=True))


@pytest.mark.parametrize(
    "piece", ["TOKEN_", "a.", "sk-", "://a:", "-----BEGIN PRIVATE KEY-----\n", "eyJ", 'A_KEY="']
)
def test_hostile_texts_take_no_time(piece: str) -> None:
    """A pattern that backtracks would not come back here."""
    text = piece * (50_000 // len(piece))
    assert len(masked(text)) > 0
