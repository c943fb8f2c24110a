"""Where skills are looked for, nearest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_OF_A_WORKSPACE = (".agents/skills", ".claude/skills")
_OF_THE_USER = ".agents/skills"


@dataclass(frozen=True, slots=True)
class SkillPlace:
    """``shown`` begins the locations that the model is told.

    It is relative to the workspace, or begins with ``~/``: the system prompt holds no absolute
    path. Everything that is found must really be below ``within``; None trusts the links.
    """

    shown: str
    folder: Path
    within: Path | None = None

    def admits(self, real: str) -> bool:
        """Whether a real path may be looked at."""
        return self.within is None or Path(real).is_relative_to(self.within)


def skill_places(root: Path, environ: Mapping[str, str]) -> tuple[SkillPlace, ...]:
    """Return the places of a workspace, then the user's own.

    ``root`` is canonical. A user's folder that is not below the home directory has no name that
    is the same on every machine, and is left out.
    """
    own = (SkillPlace(shown, root / shown, root) for shown in _OF_A_WORKSPACE)
    return (*own, *_places_of_the_user(environ))


def _places_of_the_user(environ: Mapping[str, str]) -> tuple[SkillPlace, ...]:
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or "")
    if not home.is_absolute():
        return ()
    from platformdirs import user_config_path

    folders = (home / _OF_THE_USER, user_config_path("perdure") / "skills")
    return tuple(
        SkillPlace(f"~/{folder.relative_to(home).as_posix()}", folder)
        for folder in folders
        if folder.is_relative_to(home)
    )
