"""What the plots of the report show, as records: curves, a table of counts, labels by day. `report_plots` fills them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adjudicate.workflow.behind import Behind


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a curve, with the interval of its height where it has one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """Points that belong together."""

    name: str
    points: tuple[Point, ...]
    is_line: bool = True
    """Drawn as a line; else as a mark for each point."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A plot of fractions against fractions, 0 to 1 on both axes."""

    title: str
    x: str
    """What the horizontal axis is."""
    y: str
    series: tuple[Series, ...]
    is_diagonal: bool = False
    """Whether a line from corner to corner says what would be perfect."""
    diagonal: str = ""
    """What that line is."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """Gold against verdict: how often each outcome was given for each."""

    title: str
    names: tuple[str, ...]
    """Titles of the outcomes; the last one stands for verdicts that name none."""
    counts: tuple[tuple[float, ...], ...]
    """Items; rows are gold, columns verdicts."""
    weighted: tuple[tuple[float, ...], ...]
    """Items of the frame that these stand for; equal to `counts` where each stands for itself."""
    behind: tuple[tuple[Behind, ...], ...]


@dataclass(frozen=True, slots=True)
class Day:
    """Labels made on one day."""

    date: str
    """As ``2026-01-31``, UTC."""
    labels: int
    people: Mapping[str, int]
    """Pseudonym -> labels."""
    behind: Behind
