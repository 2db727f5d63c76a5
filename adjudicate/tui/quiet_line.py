"""The one quiet line of the labelling screen: how far, how fast, how long, how wide; and, when it is due, a break.

Never a rate: whoever labels blind must not steer by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from adjudicate.core.work_time import duration
from adjudicate.workflow.interval_widths import TARGET, Standing
from adjudicate.workflow.sitting import Sitting

BETWEEN = " · "


class Part(NamedTuple):
    """One thing that the line says."""

    words: str
    importance: int
    """Where there is no room for all, the lowest goes first."""


def parts(
    *, left: int, pace: float | None, sitting: Sitting, break_minutes: float, standing: Standing | None, population: str
) -> Iterator[Part]:
    """What there is to say, in the order of the line.

    Args:
        left: Items still open on the list.
        pace: Labels an hour, where it is known.
        sitting: Keeps the time.
        break_minutes: Work until a break is due; 0 for never.
        standing: Measured in the background; None before that.
        population: Of the item on screen; empty without one.
    """
    if break_minutes and sitting.spell >= break_minutes * 60:
        yield Part(f"{duration(sitting.spell)} without a break", 7)
    yield Part(f"{left} left", 6)
    if pace is not None:
        yield Part(f"{pace:.0f}/h", 5)
        yield Part(f"{duration(left / pace * 3600)} to go", 1)
    if sitting.today is not None:
        yield Part(f"today {duration(sitting.today)}", 2)
    if standing is not None and population in standing.widths:
        yield Part(_wide(standing.widths[population]), 4)
    if standing is not None and population in standing.more:
        yield from _more(standing.more[population])


def _wide(width: float | None) -> str:
    if width is None:
        return "interval: too few labels yet"
    # Gold that came with the log on every item: there is nothing left to estimate, though there is to label.
    return f"interval {width * 100:.1f} points wide" if width else "every item has a gold label"


def _more(labels: int | None) -> Iterator[Part]:
    target = f"±{TARGET * 100:.0f} points"
    if labels is None:
        yield Part(f"{target} needs more items", 3)
    elif labels:
        yield Part(f"about {_rounded(labels)} more for {target}", 3)


def _rounded(labels: int) -> str:
    """Two digits that count: a plan is no promise."""
    step = 10 ** max(len(str(labels)) - 2, 0)
    return f"{round(labels / step) * step:,}"


def fitting(said: Sequence[Part], cells: int) -> str:
    """The line in at most so many cells, whole parts only; the most important one stands in any case."""
    kept = list(said)
    while len(kept) > 1 and len(BETWEEN.join(part.words for part in kept)) > cells:
        kept.remove(min(kept, key=lambda part: part.importance))
    return BETWEEN.join(part.words for part in kept)
