"""``diagnostics``: what the editor says, as the model is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.tools.bench import Bench

from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.protocol.editor import EditorDiagnostic, FileDiagnostics
from perdure.tools.diagnostics import DiagnosticsTool
from perdure.tools.registry import builtin_tools


def diagnostic(line: int, message: str, severity: int | None = None) -> EditorDiagnostic:
    """A diagnostic at the begin of a line, counted from 0."""
    place = {"line": line, "character": 4}
    made: JsonObject = {"range": {"start": {**place}, "end": {**place}}, "message": message}
    if severity is not None:
        made["severity"] = severity
    return made  # type: ignore[return-value]


class Editor:
    """Reports what it is told to, and remembers what it was asked."""

    def __init__(self) -> None:
        self.files: list[FileDiagnostics] = []
        self.asked: list[str | None] = []

    def report(self, path: Path, *diagnostics: EditorDiagnostic) -> None:
        """Report something of a file."""
        self.files.append({"uri": path.as_uri(), "diagnostics": list(diagnostics)})

    async def ask(self, uri: str | None) -> Sequence[FileDiagnostics]:
        """Answer as a client does that does not care which file it is asked of."""
        self.asked.append(uri)
        return self.files


@pytest.fixture
def editor(bench: Bench) -> Editor:
    """Return the editor that the tools of ``bench`` ask."""
    editor = Editor()
    bench.tools = builtin_tools(more=[DiagnosticsTool(editor.ask)])
    for name in ("a.py", "src/b c.py"):
        (bench.root / name).parent.mkdir(exist_ok=True)
        (bench.root / name).touch()
    return editor


def test_it_is_not_offered_without_an_editor() -> None:
    assert builtin_tools().get("diagnostics") is None


def test_problems_are_in_order(bench: Bench, editor: Editor) -> None:
    named: EditorDiagnostic = {**diagnostic(0, "one\n  two", 2), "source": "ruff", "code": "E1"}
    editor.report(bench.root / "src" / "b c.py", diagnostic(9, "last"), named)
    editor.report(bench.root / "a.py", diagnostic(1, "hint", 4), diagnostic(1, "odd", 9))
    assert bench.ok("diagnostics").split("\n") == [
        "a.py:2:5: error: odd",
        "a.py:2:5: hint: hint",
        "src/b c.py:1:5: warning: one two (ruff E1)",
        "src/b c.py:10:5: error: last",
    ]
    assert bench.ok("diagnostics", path="src") == bench.ok("diagnostics", path="src/b c.py")
    assert editor.asked == [None, None, (bench.root / "src" / "b c.py").as_uri()]


def test_only_files_of_the_workspace_count(bench: Bench, editor: Editor) -> None:
    secret = bench.root.parent / "secret.py"
    secret.touch()
    (bench.root / "link.py").symlink_to(secret)
    editor.report(secret, diagnostic(0, "x"))
    editor.report(bench.root / "link.py", diagnostic(0, "x"))
    editor.report(bench.root / "a.py", {**diagnostic(0, "x"), "source": "perdure"})
    editor.files += [
        {"uri": uri, "diagnostics": [diagnostic(0, "x")]}
        for uri in ("untitled:1", "perdure:/x.md", "", "file:relative", "http://[", "file:///%00")
    ]
    assert bench.ok("diagnostics") == "The editor reports no problems for the workspace."
    said = bench.ok("diagnostics", path="a.py")
    assert said == "The editor reports no problems for a.py."


@pytest.mark.parametrize("path", ["../secret.py", "/etc", ".git/config", "~/x"])
def test_paths_are_those_of_the_workspace(bench: Bench, editor: Editor, path: str) -> None:
    bench.error("diagnostics", path=path)
    assert editor.asked == []


def test_many_problems_are_counted(bench: Bench, editor: Editor) -> None:
    editor.report(bench.root / "a.py", *(diagnostic(line, "x") for line in range(250)))
    assert bench.ok("diagnostics").endswith("\n\n[50 more problems. Ask for one file.]")


def test_an_editor_that_does_not_answer_is_a_failure(bench: Bench) -> None:
    async def ask(uri: str | None) -> Sequence[FileDiagnostics]:
        raise ToolError("The editor did not answer.")

    bench.tools = builtin_tools(more=[DiagnosticsTool(ask)])
    assert bench.error("diagnostics") == "Error: The editor did not answer."
