"""Populations, draws and looks for the simulated tests; every estimate in them is made by the product's own functions.

The default population is that of the coverage study (reference/README.md): 2,000 responses, a borderline fifth with 6 % events
against 1 % outside, and a judge that is worse inside.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from adjudicate.core.estimates import Estimate
from adjudicate.core.sampling import Allocation, allocate
from adjudicate.stats.corrected import StratumCount, stratified_rate
from adjudicate.stats.stratum_bounds import Target

PLANNING = {"flagged in": 0.4, "flagged out": 0.4, "clear in": 0.03, "clear out": 0.005, "flagged": 0.4, "clear": 0.01}


@dataclass(frozen=True)
class Frame:
    """One simulated population."""

    truth: npt.NDArray[np.bool_]
    verdict: npt.NDArray[np.bool_]
    inside: npt.NDArray[np.bool_]

    @property
    def rate(self) -> float:
        return float(self.truth.mean())


@dataclass(frozen=True)
class Study:
    """Percentage points and percent, as in the reference tables; `below` and `above` are sides of the truth."""

    bias: float
    rmse: float
    coverage: float
    process_coverage: float
    width: float
    below: float
    above: float
    undefined: float
    mean: float
    """Mean estimate, percent."""
    widths: tuple[float, ...]
    replicates: int


def frame(
    rng: np.random.Generator,
    *,
    size: int = 2000,
    share: float = 0.2,
    rates: tuple[float, float] = (0.06, 0.01),
    sensitivity: tuple[float, float] = (0.77, 0.97),
    specificity: tuple[float, float] = (0.9068085, 0.985),
) -> Frame:
    """A population; pairs are (inside, outside) the borderline band."""
    inside = np.arange(size) < round(size * share)
    truth = rng.random(size) < np.where(inside, *rates)
    chance = rng.random(size)
    verdict = np.where(truth, chance < np.where(inside, *sensitivity), chance >= np.where(inside, *specificity))
    return Frame(truth, verdict, inside)


def cells(population: Frame, by: str) -> dict[str, tuple[int, int]]:
    """Size and events per stratum: ``verdict``, ``verdict_x_band``, ``band`` or ``none``; empty strata are left out."""
    verdict = np.where(population.verdict, "flagged", "clear")
    band = np.where(population.inside, " in", " out")
    names = {"verdict": verdict, "verdict_x_band": np.char.add(verdict, band), "band": band, "none": np.full(verdict.size, "")}
    found = {}
    for name in sorted(set(names[by].tolist())):
        members = names[by] == name
        found[name] = (int(members.sum()), int((members & population.truth).sum()))
    return found


def true_rates() -> dict[str, float]:
    """Expected event rates of the strata in the default population."""
    found = {}
    for band, share, rate, se, sp in ((" in", 0.2, 0.06, 0.77, 0.9068085), (" out", 0.8, 0.01, 0.97, 0.985)):
        for name, event, other in (("flagged", se, 1 - sp), ("clear", 1 - se, sp)):
            found[name + band] = (share * rate * event, share * (rate * event + (1 - rate) * other))
    for name in ("flagged", "clear"):
        parts = [found[name + band] for band in (" in", " out")]
        found[name] = (sum(part[0] for part in parts), sum(part[1] for part in parts))
    return {name: events / size for name, (events, size) in found.items()}


def drawn(rng: np.random.Generator, strata: Mapping[str, tuple[int, int]], labels: Mapping[str, int]) -> list[StratumCount]:
    """A simple random sample without replacement inside every stratum."""
    found = []
    for name, (size, events) in strata.items():
        seen = int(rng.hypergeometric(events, size - events, labels[name])) if labels[name] else 0
        found.append(StratumCount(name, size, labels[name], seen))
    return found


def labels_by(design: str, sizes: Mapping[str, int], n: int) -> dict[str, int]:
    """Labels per stratum under a design of the coverage study."""
    if design == "takeall":
        flagged = {name: size for name, size in sizes.items() if name.startswith("flagged")}
        rest = {name: size for name, size in sizes.items() if name not in flagged}
        # Two labels are kept for what is not flagged, or nothing could be said about it.
        first = allocate(flagged, n - 2 * len(rest), "proportional", {}) if flagged else {}
        return {**first, **allocate(rest, n - sum(first.values()), "proportional", {})}
    method: Allocation = {"mix": "mix", "proportional": "proportional"}.get(design, "neyman")  # type: ignore[assignment]
    rates = true_rates() if design == "neyman" else PLANNING
    return allocate(sizes, n, method, {name: rates[name] for name in sizes})


@lru_cache(maxsize=200_000)
def _cached(counts: tuple[StratumCount, ...], limits: str, target: Target) -> Estimate:
    return stratified_rate(counts, statistic="corrected_rate", group={}, limits=limits, target=target)


def corrected(counts: Sequence[StratumCount], *, limits: str = "jeffreys", target: Target = "finite") -> Estimate:
    """The product's estimate, remembered: the same counts come up again and again."""
    return _cached(tuple(counts), limits, target)


def collapsed(counts: Sequence[StratumCount]) -> list[StratumCount]:
    """One stratum in place of several where one has no label, as the coverage study does after simple random sampling."""
    if all(stratum.labelled for stratum in counts):
        return list(counts)
    return [StratumCount("all", *(sum(getattr(s, part) for s in counts) for part in ("size", "labelled", "events")))]


def summary(found: Iterable[tuple[float, Estimate]], *, process_rate: float = 0.02) -> Study:
    """Compare estimates with the truths they speak for."""
    errors, values, covered, process, below, above, widths, undefined = [], [], 0, 0, 0, 0, [], 0
    for truth, estimate in found:
        if estimate.value is None:
            undefined += 1
            continue
        errors.append(estimate.value - truth)
        values.append(estimate.value)
        if estimate.low is not None and estimate.high is not None:
            covered += estimate.low - 1e-12 <= truth <= estimate.high + 1e-12
            process += estimate.low <= process_rate <= estimate.high
            below += estimate.high < truth - 1e-12
            above += estimate.low > truth + 1e-12
            widths.append(estimate.high - estimate.low)
    n = len(errors)
    return Study(
        bias=100 * float(np.mean(errors)), rmse=100 * float(np.sqrt(np.mean(np.square(errors)))), coverage=100 * covered / n,
        process_coverage=100 * process / n, width=100 * float(np.mean(widths)) if widths else 0.0,
        below=100 * below / n, above=100 * above / n, undefined=100 * undefined / (n + undefined),
        mean=100 * float(np.mean(values)), widths=tuple(100 * width for width in widths), replicates=n,
    )  # fmt: skip


def near_median(study: Study, median: float, others: int, *, slack: float = 0.03) -> bool:
    """Whether a median width, points, is one of ours too.

    Widths follow whole counts, so a median can jump between two of them: what is compared is its rank, within three standard
    errors, and the width itself within a relative slack.
    """
    widths, error = np.asarray(study.widths), 1.5 * math.sqrt(1 / study.replicates + 1 / others)
    return bool((widths < (1 - slack) * median).mean() < 0.5 + error and (widths <= (1 + slack) * median).mean() > 0.5 - error)


def holds(estimate: Estimate, truth: float) -> bool:
    """Whether the interval has the truth in it; an end that is the truth itself, but for rounding, has."""
    assert estimate.low is not None and estimate.high is not None
    return estimate.low - 1e-12 <= truth <= estimate.high + 1e-12


def noise(percent: float, replicates: int, other: int) -> float:
    """Three standard errors, in points, of the difference of two simulated percentages."""
    share = min(max(percent / 100, 0.005), 0.995)
    return 300 * math.sqrt(share * (1 - share) * (1 / replicates + 1 / other))


# Looking again and again: batches of 20, which queue comes next follows the labels so far (statistics note, section 2).

GUESSES = {"flagged": 0.4, "clear": 0.02}


@dataclass(frozen=True)
class Stop:
    """Where a run of looks ended."""

    truth: float
    estimate: Estimate
    n: int
    stopped: bool


def look_until(
    rng: np.random.Generator,
    population: Frame,
    interval: Callable[[Sequence[StratumCount]], Estimate],
    enough: Callable[[Estimate], bool],
    *,
    n_max: int,
    batch: int = 20,
) -> Stop:
    """Label in batches from seeded queues until the estimate is enough or the labels are used up."""
    members = {"flagged": population.truth[population.verdict], "clear": population.truth[~population.verdict]}
    queues = {name: rng.permutation(truth).cumsum() for name, truth in members.items() if truth.size}
    sizes = {name: int(queue.size) for name, queue in queues.items()}
    have, n = dict.fromkeys(sizes, 0), 0
    while True:
        n += batch
        events = {name: int(queues[name][have[name] - 1]) if have[name] else 0 for name in sizes}
        rates = {name: (events[name] + 5 * GUESSES[name]) / (have[name] + 5) for name in sizes}
        have = allocate(sizes, n, "mix", rates, at_least=have)
        counts = [StratumCount(name, sizes[name], have[name], int(queues[name][have[name] - 1])) for name in sizes]
        estimate = interval(counts)
        done = enough(estimate)
        if done or n >= n_max:
            return Stop(population.rate, estimate, sum(have.values()), done)


def exact_frame(rng: np.random.Generator, events: int, size: int = 2000) -> Frame:
    """A default population with an exact number of events, as the gate study has it."""
    while True:
        population = frame(rng, size=size, rates=(3 * events / size, events / size / 2))
        if int(population.truth.sum()) == events:
            return population
