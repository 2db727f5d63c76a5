"""What a sample of so many items would give, before it is drawn: labels and expected interval of each rate."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from adjudicate.core.policy import Policy
from adjudicate.core.sampling import Allocation, allocate, planning_rate
from adjudicate.workflow.draw_sample import FreeCell

USUAL_SIZES = (50, 100, 200, 400, 800)


@dataclass(frozen=True, slots=True)
class Expected:
    """One rate of one population."""

    rate: str
    """Its title."""
    population: str
    items: int
    """In the frame."""
    labels: int
    """Of the sample, in this population."""
    half_width: float | None
    """Half of the expected 95 % interval, a fraction; None where strata reach over several populations."""


def expected_widths(cells: Mapping[FreeCell, int], policy: Policy, n: int, allocation: Allocation = "mix") -> list[Expected]:
    """Every rate of every population after `n` labels, if strata err as guessed (`core.sampling.PLANNING_RATES`).

    Args:
        cells: The frame, from `free_cells`.
        policy: Whose rates are meant.
        n: Items to label in all.
        allocation: Of the draw.

    Raises:
        UsageError: Fewer labels than what a draw takes whole.
    """
    from adjudicate.stats.planning import expected_interval

    sizes: Counter[str] = Counter()
    inside: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for cell, count in cells.items():
        sizes[cell.stratum] += count
        inside[cell.intent, cell.population][cell.stratum] += count
    names = sorted(sizes)
    rates = {name: planning_rate(name) for name in names}
    drawn = allocate({name: sizes[name] for name in names}, n, allocation, rates) if names else {}
    found = []
    for (intent, population), strata in sorted(inside.items()):
        parts = sorted(strata)
        whole = all(strata[name] == sizes[name] for name in parts)
        labels = [drawn[name] for name in parts]
        interval = expected_interval([sizes[name] for name in parts], [rates[name] for name in parts], labels) if whole else None
        found += [
            Expected(rate.title, population, strata.total(), sum(labels), interval.width / 2 if interval is not None else None)
            for rate in policy.rates_among(intent)
        ]
    return found


def sizes_to_offer(items: int) -> tuple[int, ...]:
    """Numbers of labels worth offering for so many items, the last of them all items."""
    return (*(size for size in USUAL_SIZES if size < items), items)


def usual_size(items: int) -> int:
    """What to begin with: 200, or all where there are fewer."""
    return min(200, items)
