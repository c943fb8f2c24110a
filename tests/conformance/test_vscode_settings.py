"""The settings of the extension for VS Code are those of the server, with the same defaults."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from perdure.agent.settings import Settings, UserOnly
from perdure.json_types import JsonValue

MANIFEST = Path(__file__).parents[2] / "editor-clients" / "vscode" / "package.json"
OBJECTS = ("mcp.servers", "model.prices")
"""Settings that are objects of their own in the editor too."""


def _leaves(section: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    for field in section.model_fields.values():
        path = f"{prefix}{field.alias}"
        if any(isinstance(mark, UserOnly) for mark in field.metadata):
            continue
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel) and path not in OBJECTS:
            yield from _leaves(inner, f"{path}.")
        elif path != "trusted":  # the editor knows that by itself
            yield path, field


def _of_the_editor() -> dict[str, dict[str, JsonValue]]:
    sections = json.loads(MANIFEST.read_text("utf-8"))["contributes"]["configuration"]
    return {
        name.removeprefix("perdure."): value
        for section in sections
        for name, value in section["properties"].items()
    }


@pytest.mark.parametrize(("path", "field"), list(_leaves(Settings)))
def test_the_editor_offers_each_setting_as_it_is(path: str, field: FieldInfo) -> None:
    offered = _of_the_editor().get(path)
    assert offered is not None, f"perdure.{path} is missing in {MANIFEST}, and in src/settings.ts"
    words: Any = [word for word in get_args(field.annotation) if isinstance(word, str)]
    assert offered.get("enum", []) == words
    if path not in OBJECTS:
        assert offered["default"] == field.get_default(call_default_factory=True)
