"""Reading fixture folders: Perdure's own and, in place, the original's."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from perdure.json_types import JsonObject, JsonValue

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "schemas" / "session"
_CHOICE = os.environ.get("PERDURE_CORPUS", "")
CORPUS = (ROOT / (_CHOICE or "../shared/corpus")).resolve()
ORIGINAL = CORPUS / "session"

needs_original = pytest.mark.skipif(
    _CHOICE == "none", reason="PERDURE_CORPUS=none: the original's fixtures were not run"
)


@dataclass(frozen=True)
class Fixture:
    """A session file and what the reducer must make of it."""

    name: str
    path: Path
    expected: Path
    schema_valid: bool
    proves: str


@dataclass(frozen=True)
class PlanFixture:
    """A session file, a current configuration, and the plan that must come out."""

    name: str
    session: Path
    current: JsonValue
    expected: JsonValue
    proves: str


def require_original() -> None:
    """Fail with what to do when the original's folder is missing."""
    assert (ORIGINAL / "fixtures" / "manifest.json").is_file(), (
        f"There are no fixtures in {ORIGINAL}. Set PERDURE_CORPUS to the folder with the "
        "original's conformance data, or to 'none' to go without."
    )


def fixtures(folder: Path) -> list[Fixture]:
    """Return the reducer's fixtures, none when the folder is missing."""
    return [
        Fixture(
            name=str(entry["name"]),
            path=folder / "fixtures" / str(entry["file"]),
            expected=folder / "fixtures" / str(entry["expected"]),
            schema_valid=entry["schemaValid"] is True,
            proves=str(entry.get("proves", "")),
        )
        for entry in _manifest(folder / "fixtures")
    ]


def plan_fixtures(folder: Path) -> list[PlanFixture]:
    """Return the planner's fixtures, none when the folder is missing."""
    return [_plan_fixture(folder, entry) for entry in _manifest(folder / "planner-fixtures")]


def read_json(path: Path) -> JsonValue:
    """Return the value that a file holds."""
    value: JsonValue = json.loads(path.read_text(encoding="utf-8"))
    return value


def validator(schema: Path) -> Draft202012Validator:
    """Return a validator for a JSON Schema file."""
    value = read_json(schema)
    assert isinstance(value, dict)
    return Draft202012Validator(value)


def _plan_fixture(folder: Path, entry: JsonObject) -> PlanFixture:
    place = folder / "planner-fixtures"
    given = read_json(place / str(entry["input"]))
    assert isinstance(given, dict)
    return PlanFixture(
        name=str(entry["name"]),
        session=folder / "fixtures" / str(given["sessionFile"]),
        current=given["current"],
        expected=read_json(place / str(entry["expected"])),
        proves=str(entry.get("proves", "")),
    )


def _manifest(folder: Path) -> list[JsonObject]:
    path = folder / "manifest.json"
    if not path.is_file():
        return []
    manifest = read_json(path)
    assert isinstance(manifest, dict)
    entries = manifest["fixtures"]
    assert isinstance(entries, list)
    return [entry for entry in entries if isinstance(entry, dict)]
