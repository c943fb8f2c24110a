"""Skills: folders with a ``SKILL.md``, of which the model is told name, description and place.

The body is read by the model when it wants to, with the tool ``read``. Where two skills have the
same name the nearest wins: those of the workspace before the user's own. What is ill-formed is
left out, with a sentence that says why.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from perdure.agent.context.front_matter import Malformed, front_matter
from perdure.agent.context.skill_places import SkillPlace
from perdure.errors import ToolError
from perdure.tools.files import DiskFiles

SKILL_FILE = "SKILL.md"
MAX_FILE_BYTES = 256 * 1024
MAX_NAME = 64
MAX_DESCRIPTION = 1024
"""Characters."""
MAX_SKILLS = 100
MAX_PROBLEMS = 5
MAX_DEPTH = 6
MAX_FOLDERS = 2000
"""Folders that are looked into below one place."""


@dataclass(frozen=True, slots=True)
class Skill:
    """``location`` is what the model reads; it is the same on every machine. ``folder`` is real."""

    name: str
    description: str
    location: str
    folder: Path


@dataclass(frozen=True, slots=True)
class Skills:
    """``listed`` is in the order of the names; ``problems`` are sentences for the user."""

    listed: tuple[Skill, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def folders(self) -> Mapping[str, Path]:
        """The real folders of skills outside of the workspace, by the names the model knows."""
        own = (skill for skill in self.listed if skill.location.startswith("~/"))
        return {skill.location.removesuffix(f"/{SKILL_FILE}"): skill.folder for skill in own}


def find_skills(places: Sequence[SkillPlace]) -> Skills:
    """Look for skills, the nearest place first. Blocks; never fails."""
    found: dict[str, Skill] = {}
    problems: list[str] = []
    for place in places:
        for relative in _skill_files(place, problems):
            location = f"{place.shown}/{relative}"
            try:
                skill = _read(place, relative, location)
            except (Malformed, ToolError, OSError) as error:
                problems.append(f"The skill {location!a} is left out: {_reason(error)}.")
                continue
            found.setdefault(skill.name, skill)
    listed = sorted(found.values(), key=lambda skill: skill.name)
    if len(listed) > MAX_SKILLS:
        problems.insert(0, f"Only the first {MAX_SKILLS} of {len(listed)} skills are offered.")
    return Skills(tuple(listed[:MAX_SKILLS]), _bounded(problems))


def _bounded(problems: Sequence[str]) -> tuple[str, ...]:
    """Return the first problems, and how many more there are: each is a message to the user."""
    told, left = problems[:MAX_PROBLEMS], len(problems) - MAX_PROBLEMS
    return (*told, f"{left} more problems of skills are not shown.") if left > 0 else (*told,)


def _skill_files(place: SkillPlace, problems: list[str]) -> Iterator[str]:
    """Yield the paths of skills below a place in a stable order; loops of links are seen once.

    Where it has too many folders to look into all of them, that is added to ``problems``.
    """
    seen = set[str]()
    waiting = [("", 0)]
    while waiting and len(seen) < MAX_FOLDERS:
        relative, depth = waiting.pop()
        folder = os.path.realpath(place.folder / relative)
        if folder in seen or not place.admits(folder):
            continue
        seen.add(folder)
        try:
            with os.scandir(folder) as entries:
                names = sorted((entry.name, entry.is_dir()) for entry in entries)
        except OSError:
            continue
        if any(name == SKILL_FILE for name, _ in names):
            yield f"{relative}{SKILL_FILE}"
        if depth < MAX_DEPTH:
            inner = [(f"{relative}{name}/", depth + 1) for name, is_folder in names if is_folder]
            waiting += reversed(inner)
    if waiting:
        problems.append(f"Only the first {MAX_FOLDERS} folders in {place.shown} are looked into.")


def _read(place: SkillPlace, relative: str, location: str) -> Skill:
    real = Path(os.path.realpath(place.folder / relative))
    folder = Path(os.path.realpath((place.folder / relative).parent))
    if not real.is_relative_to(folder):
        raise Malformed("it leads out of its folder")
    with DiskFiles().open(real) as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise Malformed("it is larger than 256 KiB")
    try:
        values = front_matter(content.decode(), ("name", "description"))
    except UnicodeDecodeError as error:
        raise Malformed("it is not UTF-8") from error
    name = values.get("name") or Path(relative).parent.name or place.folder.name
    _require_label("name", name, MAX_NAME)
    description = values.get("description", "")
    _require_label("description", description, MAX_DESCRIPTION)
    _require_label("path", location, MAX_DESCRIPTION)
    return Skill(name, description, location, folder)


def _require_label(what: str, text: str, limit: int) -> None:
    if not text:
        raise Malformed(f"it has no {what}")
    if len(text) > limit:
        raise Malformed(f"its {what} is longer than {limit} characters")
    if not text.isprintable():
        raise Malformed(f"its {what} has characters that cannot be shown")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"it cannot be read ({error.strerror})"
    return str(error).removesuffix(".")
