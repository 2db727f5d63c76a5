"""The default design as ``adjudicate draw`` makes it, in memory: allocation on stated guesses, seeded queues, order of showing.

`test_product_draw` holds it against `draw_sample` on a real store, so that a coverage study of it is one of the product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudicate.core.estimates import Estimate
from adjudicate.core.sampling import allocate, planning_rate, presentation, queue
from adjudicate.stats.corrected import StratumCount
from tests.stats.simulation import Frame, Stop

Members = Mapping[str, Sequence[str]]
"""Item ids by stratum; here an id is the place of an item in its frame."""


@dataclass(frozen=True)
class Sample:
    """A recorded draw."""

    queues: Mapping[str, Sequence[str]]
    """All items of every stratum in their seeded order."""
    drawn: Mapping[str, int]
    """How many of each queue are to be labelled."""
    seed: int

    @property
    def order(self) -> list[str]:
        """The drawn items in the order in which they are shown."""
        return presentation(
            {name: items[: self.drawn[name]] for name, items in self.queues.items() if self.drawn[name]}, self.seed
        )

    def longer(self, n: int) -> Sample:
        """The draw extended to n labels in all."""
        return Sample(self.queues, labels_of(sizes_of(self.queues), n, self.drawn), self.seed)

    def counts(self, truth: npt.NDArray[np.bool_], labelled: Iterable[str] | None = None) -> list[StratumCount]:
        """What labels of these items show; by default of all drawn ones."""
        made = None if labelled is None else set(labelled)
        found = []
        for name, items in self.queues.items():
            seen = [int(item) for item in items[: self.drawn[name]] if made is None or item in made]
            found.append(StratumCount(name, len(items), len(seen), int(truth[seen].sum())))
        return found


def draw(members: Members, n: int, seed: int) -> Sample:
    """A first draw of n items."""
    queues = {name: queue(seed, members[name]) for name in sorted(members)}
    return Sample(queues, labels_of(sizes_of(queues), n), seed)


def sizes_of(queues: Members) -> dict[str, int]:
    return {name: len(items) for name, items in queues.items()}


def labels_of(sizes: Mapping[str, int], n: int, before: Mapping[str, int] | None = None) -> dict[str, int]:
    """How many of n labels each stratum gets by default."""
    return allocate(sizes, n, "mix", {name: planning_rate(name) for name in sizes}, before)


def by_verdict(verdict: npt.NDArray[np.bool_]) -> dict[str, list[str]]:
    """The default strata of one population, empty ones left out."""
    cells = (("harmful | flagged", verdict), ("harmful | clear", ~verdict))
    return {name: [str(place) for place in np.flatnonzero(inside)] for name, inside in cells if inside.any()}


def extend_until(
    population: Frame,
    interval: Callable[[Sequence[StratumCount]], Estimate],
    enough: Callable[[Estimate], bool],
    *,
    n_max: int,
    seed: int,
    batch: int = 20,
) -> Stop:
    """Draw a batch, label it, look, and extend the draw by another until the estimate is enough or the labels are used up."""
    sample = draw(by_verdict(population.verdict), batch, seed)
    while True:
        estimate = interval(sample.counts(population.truth))
        n = sum(sample.drawn.values())
        done = enough(estimate)
        if done or n >= n_max:
            return Stop(population.rate, estimate, n, done)
        sample = sample.longer(n + batch)
