"""Every package that the server imports is declared, so that installing it brings them all."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "server" / "perdure"
NAME = re.compile(r"[A-Za-z0-9._-]+")
FOR_USERS = ("mcp", "otel", "acp")


def test_every_package_that_is_imported_is_declared() -> None:
    declared = _declared()
    known = packages_distributions()
    undeclared = {
        f"{path.relative_to(ROOT)}: {module}"
        for path in SERVER.rglob("*.py")
        for module in _third_party(path.read_text(encoding="utf-8"))
        if declared.isdisjoint(_normal(name) for name in known.get(module, [module]))
    }
    assert undeclared == set()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import os.path\nfrom perdure.core import ids\nfrom . import x", []),
        ("from httpx._client import Client", ["httpx"]),
        ("def f():\n    import orjson as fast, json", ["orjson"]),
    ],
)
def test_imports_are_found_wherever_they_stand(source: str, found: list[str]) -> None:
    assert list(_third_party(source)) == found


def _third_party(source: str) -> Iterator[str]:
    """Yield the top-level modules that are neither Python's nor ours."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                modules = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module), level=0):
                modules = [module]
            case _:
                continue
        for top in (module.partition(".")[0] for module in modules):
            if top != "perdure" and top not in sys.stdlib_module_names:
                yield top


def _declared() -> set[str]:
    """Return the distributions that users install, with all that is optional."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    listed = [*project["dependencies"], *(line for extra in FOR_USERS for line in optional[extra])]
    return {_normal(found[0]) for line in listed if (found := NAME.match(line))}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
