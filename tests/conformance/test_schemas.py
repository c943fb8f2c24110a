"""The generated schemas: up to date, and of one mind with the manifests and the original's."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.support.corpus import (
    CORPUS,
    ORIGINAL,
    OWN,
    ROOT,
    Fixture,
    fixtures,
    needs_original,
    plan_fixtures,
    read_json,
    require_original,
    validator,
)

from perdure.core.codec import MalformedJson, parse_strict

OURS = OWN / "session.schema.json"
THEIRS = CORPUS / "session.schema.json"


def test_schemas_are_up_to_date() -> None:
    command = [sys.executable, "schemas/generate.py", "--check"]
    check = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stdout + check.stderr


def test_every_type_of_a_message_has_a_schema() -> None:
    sources = (ROOT / "server" / "perdure" / "protocol").glob("*.py")
    classes = {
        name
        for source in sources
        for name in re.findall(r"^class (\w+)\(TypedDict\)", source.read_text(), re.MULTILINE)
    }
    assert len(classes) > 60
    match read_json(ROOT / "schemas" / "protocol.schema.json"):
        case {"$defs": dict(defined)}:
            assert classes == set(defined)
        case _:
            pytest.fail("the schema has no definitions")


@pytest.mark.requirement(76)
def test_own_sessions() -> None:
    assert _disagreeing(OURS, fixtures(OWN)) == []


@needs_original
@pytest.mark.requirement(76)
def test_original_sessions() -> None:
    require_original()
    assert _disagreeing(OURS, fixtures(ORIGINAL)) == []
    assert _disagreeing(THEIRS, fixtures(ORIGINAL)) == []


@needs_original
def test_we_never_refuse_a_line_that_the_original_allows() -> None:
    require_original()
    allowed = [f for f in fixtures(OWN) if _is_valid(THEIRS, f.path.read_bytes())]
    assert len(allowed) > 200
    assert [f.name for f in allowed if not _is_valid(OURS, f.path.read_bytes())] == []


@pytest.mark.requirement(14, 15, 77)
@pytest.mark.parametrize(
    "folder", [OWN, pytest.param(ORIGINAL, marks=needs_original)], ids=["own", "original"]
)
def test_expectations(folder: Path) -> None:
    states, plans = (
        validator(OWN / f"{name}.schema.json") for name in ("expected-state", "recovery-plan")
    )
    currents = validator(OWN / "current-configuration.schema.json")
    assert fixtures(folder)
    for fixture in fixtures(folder):
        states.validate(read_json(fixture.expected))
    for plan in plan_fixtures(folder):
        plans.validate(plan.expected)
        currents.validate(plan.current)


@pytest.mark.requirement(43)
@pytest.mark.parametrize(
    ("change", "valid"),
    [
        ({}, True),
        ({"environmentIdentity": ""}, False),
        ({"environmentIdentity": None}, False),
        ({"arguments": "{}"}, False),
        ({"extra": 1}, False),
    ],
)
def test_objects_are_closed(change: dict[str, object], valid: bool) -> None:
    line = (OWN / "fixtures" / "pending-read.jsonl").read_bytes().splitlines()[-1]
    fact = parse_strict(line)
    assert isinstance(fact, dict)
    record = fact["record"]
    assert isinstance(record, dict)
    assert validator(OURS).is_valid(fact | {"record": record | change}) is valid


def test_every_message_of_the_protocol_has_a_definition() -> None:
    schema = read_json(ROOT / "schemas" / "protocol.schema.json")
    assert isinstance(schema, dict)
    definitions = schema["$defs"]
    assert isinstance(definitions, dict)
    assert {"Status", "DeltaParams", "CommittedParams", "ApproveParams"} <= definitions.keys()


def _disagreeing(schema: Path, cases: list[Fixture]) -> list[str]:
    return [f.name for f in cases if _is_valid(schema, f.path.read_bytes()) is not f.schema_valid]


def _is_valid(schema: Path, data: bytes) -> bool:
    """Tell whether each committed line that is not empty is valid, the header only first."""
    lines = [line for line in data.split(b"\n")[:-1] if line]
    headers = [b'"kind":"header"' in line for line in lines]
    return headers.count(True) <= 1 and all(_line_is_valid(schema, line) for line in lines)


@cache
def _line_is_valid(schema: Path, line: bytes) -> bool:
    try:
        return _validator(schema).is_valid(parse_strict(line))
    except MalformedJson:
        return False


@cache
def _validator(schema: Path) -> Draft202012Validator:
    return validator(schema)
