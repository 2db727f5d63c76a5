"""What a section of the report can be made of. Everything is computed; how it looks is decided where the width is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import TypeAlias

    from adjudicate.core.estimates import Estimate
    from adjudicate.tui.widgets.interval_rows import Line
    from adjudicate.tui.widgets.sheet_row import Target
    from adjudicate.tui.widgets.table_rows import Grouped
    from adjudicate.workflow.comparable import Pair
    from adjudicate.workflow.plot_records import Confusion, Curve, Day

    Targets: TypeAlias = tuple[Target, ...]


class Rate(NamedTuple):
    """One rate and what is behind it."""

    estimate: Estimate
    targets: Targets


@dataclass(frozen=True, slots=True)
class Bars:
    """Raw beside human beside corrected, by group, on one scale."""

    rates: tuple[Rate, ...]


@dataclass(frozen=True, slots=True)
class Tabled:
    """A table, each row with what is behind it; no entries where nothing is."""

    grouped: Grouped
    targets: tuple[Targets, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawn:
    """A plot with its numbers."""

    curve: Curve
    numbers: Tabled | None = None


@dataclass(frozen=True, slots=True)
class Intervals:
    """Estimates under each other on one scale."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Heat:
    """Gold against verdict."""

    table: Confusion


@dataclass(frozen=True, slots=True)
class Days:
    """Labels by day."""

    days: tuple[Day, ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be compared, and what is."""

    pairs: tuple[Pair, ...]
    chosen: Pair | None
    more: int = 0
    """Pairs beyond those that are offered."""


@dataclass(frozen=True, slots=True)
class Words:
    """A remark between blocks."""

    text: str


Block = Bars | Tabled | Drawn | Intervals | Heat | Days | Choices | Words


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a section found."""

    head: str = ""
    """The state of the labelling that it rests on, for the status line."""
    blocks: tuple[Block, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
