"""What ``perdure doctor`` looks at in the sessions of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from perdure.cli.finding import Finding
from perdure.errors import StoreError
from perdure.store.catalog import Catalog
from perdure.store.places import locate_workspace
from perdure.store.verdict import Damaged


def sessions(state: Path, folder: Path) -> Iterator[Finding]:
    """Read every session of ``folder``; name the line and byte of what is damaged."""
    try:
        catalog = Catalog(locate_workspace(folder, state=state).sessions)
        summaries = catalog.list()
    except StoreError as error:
        yield Finding("problem", "sessions", str(error))
        return
    damaged = 0
    for summary in summaries:
        try:
            found = catalog.reduce(summary.path)
        except StoreError as error:
            yield Finding("note", "sessions", str(error))
            continue
        if isinstance(found, Damaged):
            damaged += 1
            remedy = f"perdure session salvage {summary.path}"
            yield Finding("note", "sessions", f"{summary.path} is damaged at {found}.", remedy)
    if not damaged:
        yield Finding("ok", "sessions", f"{len(summaries)} of this folder, none is damaged")
