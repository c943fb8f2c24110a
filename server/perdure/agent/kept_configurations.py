"""What a configuration was, beside the session: ``S.d/prompts/<hex of its digest>.{txt,json}``.

The log holds only digests. The system prompt is kept as text, tool definitions and output options
as canonical JSON, so that what changed can be shown and what was recorded can be restored. A file
that is missing, or is not what its name says, counts as not kept: nothing depends on it.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

import orjson

from perdure.agent.configuration import Configuration, definition_value
from perdure.core.canonical import canonical_json, digest
from perdure.json_types import JsonObject
from perdure.tools.own_files import private_folder, read_own, write_own
from perdure.tools.registry import declaration_of

logger = logging.getLogger(__name__)


def keep(data: Path, configuration: Configuration) -> None:
    """Keep the parts of ``configuration`` in ``data``, the session's own folder.

    That they cannot be kept is no reason to refuse the work.
    """
    snapshot = configuration.snapshot
    text = configuration.system_prompt.encode()
    files = {_file(data, snapshot["systemPromptDigest"], "txt"): text}
    values = [definition_value(declaration_of(tool)) for tool in configuration.tools.tools]
    for value in (*values, configuration.provider.identity.output_options):
        files[_file(data, digest(value), "json")] = canonical_json(value)
    try:
        private_folder(data / "prompts")
        for file, content in files.items():
            _write(file, content)
    except OSError as error:
        logger.warning("The configuration could not be kept: %s", error)


def kept_prompt(data: Path, prompt_digest: str) -> str | None:
    """Return the system prompt of a digest, None where it is not kept."""
    try:
        text = read_own(_file(data, prompt_digest, "txt")).decode()
    except (OSError, ValueError):
        return None
    return text if digest(text) == prompt_digest else None


def kept_object(data: Path, value_digest: str) -> JsonObject | None:
    """Return the tool definition or the output options of a digest, None where not kept."""
    try:
        value = orjson.loads(read_own(_file(data, value_digest, "json")))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) and digest(value) == value_digest else None


def _write(file: Path, content: bytes) -> None:
    """Replace the file unless it is what it should be; not synced, because reading verifies it."""
    with suppress(OSError):
        if read_own(file) == content:
            return
    write_own(file, content)


def _file(data: Path, value_digest: str, suffix: str) -> Path:
    return data / "prompts" / f"{value_digest.removeprefix('sha256:')}.{suffix}"
