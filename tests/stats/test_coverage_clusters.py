"""The clustered rate over strata covers as often as it says, through the product's own draw, and what ignoring the clusters does.

Several answers to one prompt are drawn one by one, so what has to be allowed for is the claim about prompts like these; the two
responses of ``draw --pair`` are drawn together, so these items need it too. Samples without strata are in test_clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from adjudicate.stats.corrected import StratumCount, stratified_rate
from adjudicate.stats.design_effect import design_effect, process_design_effect
from adjudicate.stats.stratum_bounds import Target
from tests.stats.product_draw import Sample, draw
from tests.stats.simulation import holds, noise


@dataclass(frozen=True)
class Clusters:
    """Beta-binomial clusters and how they are drawn."""

    count: int
    size: int
    rate: float
    correlation: float
    labels: int
    target: Target
    """``process`` for items drawn one by one, ``finite`` for whole clusters."""


SETTINGS = {
    "300 prompts with 4 answers, rate 5 %, 400 labels one by one": Clusters(300, 4, 0.05, 0.3, 400, "process"),
    "300 prompts with 4 answers, rate 20 %, 400 labels one by one": Clusters(300, 4, 0.2, 0.3, 400, "process"),
    "100 prompts with 10 answers, rate 20 %, 500 labels one by one": Clusters(100, 10, 0.2, 0.3, 500, "process"),
    "50 prompts with 20 answers, rate 20 %, 400 labels one by one": Clusters(50, 20, 0.2, 0.2, 400, "process"),
    "600 pairs, rate 5 %, 200 drawn whole": Clusters(600, 2, 0.05, 0.5, 200, "finite"),
    "600 pairs, rate 20 %, 200 drawn whole": Clusters(600, 2, 0.2, 0.5, 200, "finite"),
}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """Percent covered, and the mean design effect."""

    clustered: float
    ignored: float
    effect: float


def coverage(name: str, replicates: int, seed: int) -> Found:
    each, covered, ignored, effects = SETTINGS[name], 0, 0, []
    for replicate in range(replicates):
        rng = np.random.default_rng([seed, replicate])
        scale = 1 / each.correlation - 1
        chance = rng.beta(each.rate * scale, (1 - each.rate) * scale, each.count)
        events = rng.random((each.count, each.size)) < chance[:, None]
        flagged = np.where(events, rng.random(events.shape) < 0.85, rng.random(events.shape) >= 0.97)
        items, strata, counts = labelled(each, events, flagged, replicate)
        seen = events.ravel()[items]
        if each.target == "process":
            sizes = {stratum.stratum: stratum.size for stratum in counts}
            effect = process_design_effect(items // each.size, seen, strata=strata, sizes=sizes)
        else:
            effect = design_effect(items // each.size, seen, strata=strata)
        truth = each.rate if each.target == "process" else float(events.mean())
        allowing = stratified_rate(counts, statistic="clustered_rate", group={}, target=each.target, effect=effect)
        covered += holds(allowing, truth)
        plain = stratified_rate(counts, statistic="corrected_rate", group={}, limits="wilson", target=each.target)
        ignored += holds(plain, truth)
        effects.append(effect.value)
    return Found(100 * covered / replicates, 100 * ignored / replicates, float(np.mean(effects)))


def labelled(
    each: Clusters, events: npt.NDArray[np.bool_], flagged: npt.NDArray[np.bool_], seed: int
) -> tuple[npt.NDArray[np.int64], list[str], list[StratumCount]]:
    """Labelled items, the stratum of each, and the counts in items."""
    if each.target == "process":
        sample, size = draw(named(np.where(flagged.ravel(), "flagged", "clear")), each.labels, seed), 1
    else:
        first, second = (np.where(side, "flagged", "clear") for side in flagged.T)
        cells = np.where(first == second, first, np.char.add(np.char.add(first, " > "), second))
        sample, size = draw(named(cells), each.labels, seed), each.size
    items = [(name, item * size + place) for name, item in drawn(sample) for place in range(size)]
    counts = [
        StratumCount(
            name,
            size * len(queue),
            size * sample.drawn[name],
            int(sum(events.ravel()[item] for cell, item in items if cell == name)),
        )
        for name, queue in sample.queues.items()
    ]
    return np.array([item for _, item in items]), [name for name, _ in items], counts


def named(cells: npt.NDArray[np.str_]) -> dict[str, list[str]]:
    return {f"p | {cell}": [str(place) for place in np.flatnonzero(cells == cell)] for cell in sorted(set(cells.tolist()))}


def drawn(sample: Sample) -> list[tuple[str, int]]:
    return [(name, int(item)) for name, items in sample.queues.items() for item in items[: sample.drawn[name]]]


def check(name: str, replicates: int) -> None:
    found = coverage(name, replicates, seed=20289)
    assert found.clustered > 94 - noise(94, replicates, 10**9), (name, found)
    assert found.clustered >= found.ignored, (name, found)


@pytest.mark.parametrize("name", SETTINGS)
def test_clusters_over_strata_are_covered(name: str) -> None:
    check(name, 100)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", SETTINGS)
def test_clusters_over_strata_are_covered_in_the_long_run(name: str) -> None:
    check(name, 2000)
