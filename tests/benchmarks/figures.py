"""What a measurement found, and the table of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perdure.json_types import JsonObject


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One line of the table.

    With ``beside_value``, the bound that was measured in the same run, the goal is one for the
    ratio of the two; else it is one for the value. ``at_most`` and ``at_least`` are that goal.
    """

    measure: str
    what: str
    value: float
    unit: str
    beside: str = ""
    beside_value: float | None = None
    at_most: float | None = None
    at_least: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times the bound this is."""
        return self.value / self.beside_value if self.beside_value else None

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached, None where there is none."""
        judged = self.value if self.ratio is None else self.ratio
        if self.at_most is not None:
            return judged <= self.at_most
        return None if self.at_least is None else judged >= self.at_least

    def as_json(self) -> JsonObject:
        """Return everything of it."""
        return {
            "measure": self.measure,
            "what": self.what,
            "value": self.value,
            "unit": self.unit,
            "beside": self.beside,
            "besideValue": self.beside_value,
            "ratio": self.ratio,
            "atMost": self.at_most,
            "atLeast": self.at_least,
            "met": self.met,
        }


HEADINGS = ("", "measured", "value", "beside", "value", "ratio", "goal", "")


def table(figures: Sequence[Figure]) -> str:
    """Return the lines of the table."""
    rows = [HEADINGS, *map(_row, figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in (2, 4, 5, 6) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _row(figure: Figure) -> tuple[str, ...]:
    beside = "" if figure.beside_value is None else _number(figure.beside_value, figure.unit)
    ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}x"
    verdict = {True: "met", False: "MISSED", None: ""}[figure.met]
    value = _number(figure.value, figure.unit)
    return (
        figure.measure,
        figure.what,
        value,
        figure.beside,
        beside,
        ratio,
        _goal(figure),
        verdict,
    )


def _goal(figure: Figure) -> str:
    sign = "x" if figure.ratio is not None else f" {figure.unit}"
    if figure.at_most is not None:
        return f"<= {figure.at_most:g}{sign}"
    return "" if figure.at_least is None else f">= {figure.at_least:g}{sign}"


def _number(value: float, unit: str) -> str:
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f} {unit}"
