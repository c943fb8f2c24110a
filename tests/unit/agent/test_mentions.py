"""Mentions in a prompt: what is one, and what it may mean."""

from __future__ import annotations

import pytest

from perdure.agent.context.mentions import mentions


def _spelled(text: str) -> list[str]:
    return [mention.spelled for mention in mentions(text)]


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("@a.py", ["a.py"]),
        ("look at @src/a.py, please", ["src/a.py"]),
        ("(@a.py) and [@b.py]: '@c.py'", ["a.py", "b.py", "c.py"]),
        ("Why @a.py? And @b.py!", ["a.py", "b.py"]),
        ("@a.py:10-20. @a.py:7", ["a.py:10-20", "a.py:7"]),
        ('@"my file.txt" @"my file.txt":3-4', ["my file.txt", "my file.txt:3-4"]),
        ("first\n@a.py\nlast @b.py", ["a.py", "b.py"]),
        ("@./a.py @../a.py @/etc/passwd @src/", ["./a.py", "../a.py", "/etc/passwd", "src/"]),
        ("me@example.org and a/@b", []),
        ("`@a.py` <@a.py>", []),
        ("@ nothing, @@twice", []),
        ("see\n```python\n@app.route('/')\n```\n@a.py", ["a.py"]),
        ("~~~~\n@a.py\n```\n@b.py\n~~~~\n@c.py", ["c.py"]),
        ("```\n@a.py", []),
        ("@größe.txt", ["größe.txt"]),
        ("@v1.2.", ["v1.2"]),
    ],
)
def test_what_is_a_mention(text: str, spelled: list[str]) -> None:
    assert _spelled(text) == spelled


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("@a.py", [("a.py", None)]),
        ("@a.py.", [("a.py.", None), ("a.py", None)]),
        ("@a:3-9", [("a:3-9", None), ("a", (3, 9))]),
        ("@a:3", [("a:3", None), ("a", (3, 3))]),
        ("@a:0", [("a:0", None)]),
        ("@a:9-3", [("a:9-3", None)]),
        ("@a:²", [("a:²", None)]),
        (f"@a:{'1' * 5000}", [(f"a:{'1' * 5000}", None)]),
        ("@a:9-3:4", [("a:9-3:4", None), ("a:9-3", (4, 4))]),
        ('@"b c":3', [("b c:3", None), ("b c", (3, 3))]),
    ],
)
def test_what_it_may_mean(text: str, targets: list[tuple[str, object]]) -> None:
    (mention,) = mentions(text)
    assert [(target.path, target.lines) for target in mention.targets] == targets


@pytest.mark.parametrize(
    ("text", "expected"),
    [("@alice", False), ("@a.py", True), ("@types/node", True), ("@a:3", True), ("@a.", False)],
)
def test_who_typed_a_path(text: str, expected: bool) -> None:
    (mention,) = mentions(text)
    assert mention.looks_like_a_path is expected
