"""The log on standard error: which lines there are, and that no secret is in them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

KEY = "test-4f1d8c0a9e7b"
PROGRAM = f"""
import logging
from perdure.cli.log import configure_log
configure_log()
logging.getLogger("perdure.x").info("Authorization: Bearer %s", "{KEY}")
logging.getLogger("httpx").info("GET http://example.org/?key={KEY}")
logging.getLogger("mcp.client.stdio").error("Failed to parse what a server says")
try:
    raise ValueError("sent {KEY}")
except ValueError:
    logging.getLogger("perdure.y").exception("failed")
"""


CHOOSE = """
import asyncio, os
from perdure.providers.model_settings import ModelSettings
from perdure.providers.registry import select
settings = ModelSettings(base_url="https://example.invalid/v1", name="m", api_key_env="MY_OWN")
asyncio.run(select(settings, os.environ))
"""
"""Makes the provider of which the settings name the variable of the key."""


@pytest.mark.parametrize(
    ("variable", "before"), [("OPENAI_API_KEY", ""), ("MY_OWN", CHOOSE)], ids=["known", "named"]
)
@pytest.mark.hazard("`Authorization` in an error: the provider key appears in no session, log")
def test_no_secret_gets_into_the_log(variable: str, before: str) -> None:
    environ = {"PATH": os.environ["PATH"], variable: KEY}
    done = subprocess.run(
        [sys.executable, "-c", before + PROGRAM],
        env=environ,
        capture_output=True,
        check=True,
        text=True,
    )
    assert KEY not in done.stderr
    assert "perdure.x: Authorization: Bearer [key]\n" in done.stderr
    assert "ValueError: sent [key]\n" in done.stderr
    assert "httpx" not in done.stderr
    assert "server says" not in done.stderr
