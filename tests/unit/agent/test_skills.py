"""Skills: where they are found, which one wins, and what is left out with which words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from perdure.agent.context.skill_places import SkillPlace, skill_places
from perdure.agent.context.skills import (
    MAX_DEPTH,
    MAX_FOLDERS,
    MAX_PROBLEMS,
    MAX_SKILLS,
    Skill,
    Skills,
    find_skills,
)
from perdure.agent.prompt import system_prompt


def skill(
    folder: Path, *, name: str = "", description: str = "does things", body: str = ""
) -> Path:
    """Write a skill and return its file."""
    folder.mkdir(parents=True, exist_ok=True)
    named = f"name: {name}\n" if name else ""
    file = folder / "SKILL.md"
    file.write_text(f"---\n{named}description: {description}\n---\n{body}")
    return file


def found(home: Path) -> Skills:
    """The skills of the workspace ``home/work`` of a user whose home is ``home``."""
    root = home.resolve() / "work"
    root.mkdir(exist_ok=True)
    return find_skills(skill_places(root, {"HOME": str(home.resolve())}))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with the configuration where Linux has it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    return tmp_path


def test_the_nearest_of_a_name_wins_and_the_order_is_that_of_the_names(home: Path) -> None:
    skill(home / "work/.agents/skills/zip")
    skill(home / "work/.claude/skills/zip", description="hidden by the first")
    skill(home / "work/.claude/skills/deep/er/pdf", name="pdf")
    skill(home / ".agents/skills/pdf", description="hidden by the workspace")
    skill(home / ".agents/skills/csv")
    skill(home / ".config/perdure/skills/csv", description="hidden by the other")
    skill(home / ".config/perdure/skills/xml")
    listed = [(each.name, each.location, each.description) for each in found(home).listed]
    assert listed == [
        ("csv", "~/.agents/skills/csv/SKILL.md", "does things"),
        ("pdf", ".claude/skills/deep/er/pdf/SKILL.md", "does things"),
        ("xml", "~/.config/perdure/skills/xml/SKILL.md", "does things"),
        ("zip", ".agents/skills/zip/SKILL.md", "does things"),
    ]
    assert found(home).problems == ()


def test_without_a_home_there_are_those_of_the_workspace(tmp_path: Path) -> None:
    shown = [place.shown for place in skill_places(tmp_path, {})]
    assert shown == [".agents/skills", ".claude/skills"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("no front matter", "it does not begin with front matter"),
        ("---\nname: x\n---\n", "it has no description"),
        ("---\ndescription: a: b\n---\n", "its description must be quoted"),
        (f"---\ndescription: {'d' * 1025}\n---\n", "its description is longer than 1024"),
        (f"---\nname: {'n' * 65}\ndescription: d\n---\n", "its name is longer than 64"),
        ('---\ndescription: "\\u202ed"\n---\n', "characters that cannot be shown"),
        ("---\ndescription: d\n---\n" + "b" * 262_144, "it is larger than 256 KiB"),
        (b"---\ndescription: \xff\n---\n", "it is not UTF-8"),
        (None, "not a regular file"),
    ],
)
def test_what_is_ill_formed_is_left_out_and_told(
    home: Path, content: str | bytes | None, reason: str
) -> None:
    skill(home / "work/.agents/skills/good")
    bad = home / "work/.agents/skills/bad/SKILL.md"
    bad.parent.mkdir()
    if content is None:
        os.mkfifo(bad)
    else:
        bad.write_bytes(content if isinstance(content, bytes) else content.encode())
    skills = found(home)
    assert [each.name for each in skills.listed] == ["good"]
    (problem,) = skills.problems
    assert ".agents/skills/bad/SKILL.md" in problem
    assert reason in problem


def test_those_of_a_workspace_do_not_lead_out_of_it(home: Path) -> None:
    skill(home / "outside/folder")
    file = skill(home / "outside/file")
    skills = home / "work/.agents/skills"
    (skills / "file").mkdir(parents=True)
    (skills / "folder").symlink_to(home / "outside/folder")
    (skills / "file/SKILL.md").symlink_to(file)
    assert found(home).listed == ()


def test_those_of_the_user_may_be_links_and_their_folders_can_be_read(home: Path) -> None:
    skill(home / "elsewhere/pdf")
    (home / ".agents/skills").mkdir(parents=True)
    (home / ".agents/skills/pdf").symlink_to(home / "elsewhere/pdf")
    skills = found(home)
    assert skills.folders == {"~/.agents/skills/pdf": (home / "elsewhere/pdf").resolve()}


def test_a_loop_of_links_and_a_deep_tree_end(tmp_path: Path) -> None:
    skill(tmp_path / "a")
    (tmp_path / "a/again").symlink_to(tmp_path)
    skill(tmp_path / "/".join(["d"] * (MAX_DEPTH + 1)), name="too-deep")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/SKILL.md").touch()
    skills = find_skills([SkillPlace("s", tmp_path)])
    assert [each.name for each in skills.listed] == ["a"]
    assert len(skills.problems) == 1


def test_there_is_a_most(tmp_path: Path) -> None:
    for number in range(MAX_SKILLS + 1):
        skill(tmp_path / f"s{number:03}")
    skills = find_skills([SkillPlace("s", tmp_path)])
    assert [each.name for each in skills.listed] == [f"s{n:03}" for n in range(MAX_SKILLS)]
    assert f"{MAX_SKILLS} of {MAX_SKILLS + 1}" in skills.problems[0]


def test_what_is_told_is_bounded_too(tmp_path: Path) -> None:
    for number in range(MAX_FOLDERS + 1):
        (tmp_path / f"s{number:05}").mkdir()
        (tmp_path / f"s{number:05}/SKILL.md").write_text("no front matter")
    skills = find_skills([SkillPlace("skills", tmp_path)])
    assert skills.listed == ()
    assert len(skills.problems) == MAX_PROBLEMS + 1
    assert (
        skills.problems[-1]
        == f"{MAX_FOLDERS - MAX_PROBLEMS} more problems of skills are not shown."
    )


def test_the_system_prompt_lists_them_without_their_bodies(home: Path) -> None:
    skill(home / "work/.agents/skills/pdf", description="a <b> & c", body="SECRET BODY")
    skill(home / ".agents/skills/csv")
    prompt = system_prompt((home / "work").resolve(), ["read"], skills=found(home).listed)
    assert "<description>a &lt;b&gt; &amp; c</description>" in prompt
    assert "<location>~/.agents/skills/csv/SKILL.md</location>" in prompt
    assert "SECRET BODY" not in prompt
    assert str(home.resolve()) not in prompt


def test_skills_are_named_only_where_they_can_be_read(tmp_path: Path) -> None:
    one = [Skill("pdf", "d", ".agents/skills/pdf/SKILL.md", tmp_path)]
    assert "pdf" not in system_prompt(tmp_path, ["bash"], skills=one)
    assert "(none)" in system_prompt(tmp_path, ["read"])
