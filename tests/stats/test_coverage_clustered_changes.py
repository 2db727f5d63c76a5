"""Changes and rates under adjudicated intents cover the process where prompts share a pair, and would not without the effect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.adjudicated_change import adjudicated_change
from adjudicate.stats.bounding import Bounding
from adjudicate.stats.contested import adjudicated_rate
from adjudicate.stats.evidence import LabelledItem
from adjudicate.stats.intent_strata import IntentFrame
from adjudicate.stats.rate_counts import RateCounts
from adjudicate.stats.report_contested import adjudicated_effect, intent_strata
from adjudicate.stats.run_change import LabelledPair, Pairs, run_change
from tests.stats.simulation import holds, noise

RATE = Rate("hc", "HC", "harmful", ("yes",), "lower")
HARMFUL = ("harmful", "harmful")
PROCESS = Bounding(target="process")
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Study:
    """Clusters of like prompts, each answered before and after a change."""

    clusters: int
    size: int
    labels: int
    """Prompts labelled on both sides."""
    before: float = 0.2
    after: float = 0.3
    correlation: float = 0.5
    """Between prompts of a cluster, on each side."""


STUDIES = {
    "200 clusters of 4, 300 labelled": Study(200, 4, 300),
    "80 clusters of 10, 400 labelled": Study(80, 10, 400),
    "60 clusters of 8, all labelled": Study(60, 8, 480),
}


def chances(rng: np.random.Generator, rate: float, study: Study) -> npt.NDArray[np.float64]:
    """One chance a cluster, beta distributed, repeated for its prompts."""
    scale = 1 / study.correlation - 1
    return np.repeat(rng.beta(rate * scale, (1 - rate) * scale, study.clusters), study.size)


def judged(rng: np.random.Generator, events: Bools) -> npt.NDArray[np.str_]:
    """The stratum of each item: a judge of sensitivity 0.85 and specificity 0.95."""
    flagged = np.where(events, rng.random(events.size) < 0.85, rng.random(events.size) >= 0.95)
    return np.where(flagged, "flagged", "clear")


def drawn(rng: np.random.Generator, cells: npt.NDArray[np.str_], labels: int) -> list[int]:
    """A sample from every cell, in proportion to its size, two at least."""
    found: list[int] = []
    for name in np.unique(cells):
        queue = rng.permutation(np.flatnonzero(cells == name))
        found += [int(place) for place in queue[: max(2, round(labels * queue.size / cells.size))]]
    return found


def pairs(study: Study, rng: np.random.Generator) -> Pairs:
    total = study.clusters * study.size
    before, after = (rng.random(total) < chances(rng, rate, study) for rate in (study.before, study.after))
    cells = list(zip(judged(rng, before).tolist(), judged(rng, after).tolist(), strict=True))
    names = np.array([" > ".join(cell) for cell in cells])
    seen = range(total) if study.labels == total else drawn(rng, names, study.labels)
    labelled = tuple(
        LabelledPair(cells[i], said(before[i]), said(after[i]), cluster=f"pair {i // study.size}") for i in seen
    )  # fmt: skip
    sizes = {cell: cells.count(cell) for cell in set(cells)}
    return Pairs(sizes, labelled, total, total)


def said(event: object) -> str:
    return "yes" if event else "no"


def alone(found: Pairs) -> Pairs:
    return replace(found, labelled=tuple(replace(pair, cluster="") for pair in found.labelled))


def changed(found: Pairs) -> Estimate:
    side = RateCounts(RATE, {}, found.before, "sample", (), len(found.labelled), len(found.labelled), 0, 0)
    return run_change(side, side, found, PROCESS)


def changed_inside(found: Pairs) -> Estimate:
    def rates(how: Bounding) -> tuple[Estimate, Estimate]:
        raise AssertionError(f"two rates are compared, {how}")

    return adjudicated_change(rates, {HARMFUL: found}, HARMFUL, RATE, PROCESS, group={}, sampled=True)


def coverage(study: Study, change: Callable[[Pairs], Estimate], replicates: int) -> tuple[float, float]:
    """Percent of intervals that hold the change of the process, with the clusters and without."""
    covered = ignored = 0
    for replicate in range(replicates):
        found = pairs(study, np.random.default_rng([20291, replicate]))
        covered += holds(change(found), study.after - study.before)
        ignored += holds(change(alone(found)), study.after - study.before)
    return 100 * covered / replicates, 100 * ignored / replicates


def check(name: str, change: Callable[[Pairs], Estimate], replicates: int) -> None:
    covered, ignored = coverage(STUDIES[name], change, replicates)
    assert covered > 94 - noise(94, replicates, 10**9), (name, covered)
    assert ignored < covered - 3, (name, covered, ignored)


@pytest.mark.parametrize("change", [changed, changed_inside])
@pytest.mark.parametrize("name", STUDIES)
def test_a_change_on_clustered_prompts_is_covered(name: str, change: Callable[[Pairs], Estimate]) -> None:
    check(name, change, 100)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("change", [changed, changed_inside])
@pytest.mark.parametrize("name", STUDIES)
def test_a_change_on_clustered_prompts_is_covered_in_the_long_run(name: str, change: Callable[[Pairs], Estimate]) -> None:
    check(name, change, 2000)


def adjudicated_coverage(study: Study, replicates: int) -> tuple[float, float]:
    """The same for a rate of 30 % among the four fifths of clusters that keep their intent."""
    covered = ignored = 0
    for replicate in range(replicates):
        rng = np.random.default_rng([20292, replicate])
        total = study.clusters * study.size
        events = rng.random(total) < chances(rng, study.after, study)
        inside = np.repeat(rng.random(study.clusters) < 0.8, study.size)
        strata = judged(rng, events)
        items = tuple(
            LabelledItem(
                f"i{i}", str(strata[i]), "h", "harmful", "m", said(events[i]), None, {}, {}, sampled=True,
                pair=f"pair {i // study.size}", adjudicated_intent=None if inside[i] else "benign",
            )
            for i in drawn(rng, strata, study.labels)
        )  # fmt: skip
        sizes = {str(name): int((strata == name).sum()) for name in np.unique(strata)}
        frame = IntentFrame(sizes, items, dict.fromkeys(sizes, "harmful"), len(items), None)
        counts = intent_strata(frame, RATE)
        effect = adjudicated_effect(frame, RATE, counts)
        how = Bounding("jeffreys", target="process")
        covered += holds(adjudicated_rate(counts, how, effect=effect, group={}), study.after)
        ignored += holds(adjudicated_rate(counts, how, group={}), study.after)
    return 100 * covered / replicates, 100 * ignored / replicates


def check_adjudicated(name: str, replicates: int) -> None:
    covered, ignored = adjudicated_coverage(STUDIES[name], replicates)
    assert covered > 94 - noise(94, replicates, 10**9), (name, covered)
    assert ignored < covered - 3, (name, covered, ignored)


@pytest.mark.parametrize("name", STUDIES)
def test_a_rate_under_adjudicated_intents_is_covered(name: str) -> None:
    check_adjudicated(name, 100)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", STUDIES)
def test_a_rate_under_adjudicated_intents_is_covered_in_the_long_run(name: str) -> None:
    check_adjudicated(name, 2000)
