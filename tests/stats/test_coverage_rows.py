"""The coverage study's other rows: every design and interval that the product offers, against corrected_rate_coverage.csv.

The default row, through the product's own drawing too, is in test_coverage. `COLUMNS` holds what is compared of a row;
test_reference_simulations proves that nothing else of the file is left but what tests/reference_entries.py names.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.corrected import StratumCount
from adjudicate.stats.outcome_shares import inverted_shares
from adjudicate.stats.rates import raw_rate
from adjudicate.stats.rogan_gladen import Calibration, rogan_gladen
from tests.stats.simulation import (
    Frame,
    Study,
    cells,
    collapsed,
    corrected,
    drawn,
    frame,
    labels_by,
    near_median,
    noise,
    summary,
)

INTERVALS: dict[str, dict[str, Any]] = {
    "MOVER-Jeffreys (fpc)": {}, "MOVER-Wilson (fpc)": {"limits": "wilson"},
    "MOVER-Clopper-Pearson (no fpc)": {"limits": "clopper_pearson"}, "MOVER-Jeffreys (superpopulation)": {"target": "process"},
    "MOVER-Wilson (superpopulation)": {"limits": "wilson", "target": "process"},
}  # fmt: skip
HUMAN_ONLY: dict[str, dict[str, Any]] = {
    "human-only mean + Wilson (fpc)": {"limits": "wilson"}, "human-only mean + Jeffreys (fpc)": {},
    "human-only mean + Wilson": {"limits": "wilson", "target": "process"},
    "human-only mean + Clopper-Pearson": {"limits": "clopper_pearson"},
}  # fmt: skip
POSTSTRATIFIED = {f"post-stratified/GREG + {name}": INTERVALS[name] for name in ("MOVER-Wilson (fpc)", "MOVER-Jeffreys (fpc)")}
ALLOCATIONS = ("proportional", "neyman", "planning", "mix")
DESIGNS = [f"stratified[{by}] {how}" for by in ("verdict", "verdict_x_band") for how in ALLOCATIONS]
DESIGNS.append("stratified[verdict] takeall")
BANDS = (" in", " out")
"""That labels are drawn from in the enriched design."""
ENRICHED = "75% of labels from the borderline band"
POINT_ONLY = "Rogan-Gladen, design-weighted (point only)"


def rows(shared: Path) -> list[dict[str, str]]:
    with (shared / "reference" / "corrected_rate_coverage.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def row(shared: Path, design: str, n: int, estimator: str) -> dict[str, str]:
    return next(r for r in rows(shared) if (r["design"], r["n"], r["estimator"]) == (design, str(n), estimator))


def offered(design: str) -> dict[str, Callable[..., Estimate]]:
    """What the product has for the rows of a design: from the labelled strata and the population to an estimate."""

    def stratified(options: dict[str, Any]) -> Callable[[list[StratumCount], Frame], Estimate]:
        return lambda counts, _: corrected(counts, **options)

    if design == "none":
        return {"naive judge rate + Wilson(N)": lambda _, population: naive(population)}
    if design == ENRICHED:
        return {
            "weighted human-only (Horvitz-Thompson) + MOVER-Wilson (fpc)": lambda counts, _: corrected(
                joined(counts, *BANDS), **INTERVALS["MOVER-Wilson (fpc)"]
            ),
            POINT_ONLY: lambda counts, _: weighted_misclassified(counts),
            # What a draw with weights is for: the product never leaves them out.
            "Rogan-Gladen, weights ignored + Lang-Reiczigel": lambda counts, _: misclassified(
                joined(counts, "flagged", "clear"), delta=False
            ),
            "human-only mean, weights ignored + Wilson": lambda counts, _: corrected(
                [whole(counts)], **HUMAN_ONLY["human-only mean + Wilson"]
            ),
        }
    if design == "SRS":
        return {
            **{name: (lambda counts, _, o=options: corrected([whole(counts)], **o)) for name, options in HUMAN_ONLY.items()},
            **{
                name: (lambda counts, _, o=options: corrected(collapsed(counts), **o)) for name, options in POSTSTRATIFIED.items()
            },
            "Rogan-Gladen + Lang-Reiczigel": lambda counts, _: misclassified(counts, delta=False),
            "Rogan-Gladen + delta": lambda counts, _: misclassified(counts, delta=True),
        }
    return {f"stratified/difference + {name}": stratified(options) for name, options in INTERVALS.items()}


def whole(counts: list[StratumCount]) -> StratumCount:
    return StratumCount("all", sum(s.size for s in counts), sum(s.labelled for s in counts), sum(s.events for s in counts))


def joined(counts: list[StratumCount], *parts: str) -> list[StratumCount]:
    """The strata whose names share a part, taken together."""
    return [replace(whole([s for s in counts if part in s.stratum]), stratum=part) for part in parts]


def weighted_misclassified(counts: list[StratumCount]) -> Estimate:
    """Rogan-Gladen with labels by their inverse inclusion probability over the largest, as `calibration_set` weighs them."""
    weight = {band.stratum: band.size / band.labelled for band in joined(counts, *BANDS)}
    largest = max(weight.values())

    def total(verdict: str, *, events: bool) -> float:
        inside = [(s, weight[s.stratum.removeprefix(verdict)] / largest) for s in counts if s.stratum.startswith(verdict)]
        return sum(w * (s.events if events else s.labelled - s.events) for s, w in inside)

    hits, missed = total("flagged", events=True), total("clear", events=True)
    cleared, alarms = total("clear", events=False), total("flagged", events=False)
    flagged = sum(s.size for s in counts if s.stratum.startswith("flagged"))
    calibration = Calibration(hits, hits + missed, cleared, cleared + alarms)
    return rogan_gladen(flagged, sum(s.size for s in counts), calibration, group={})


def naive(population: Frame) -> Estimate:
    return raw_rate(int(population.verdict.sum()), population.verdict.size, 0, group={})


def misclassified(counts: list[StratumCount], *, delta: bool) -> Estimate:
    """Rogan-Gladen as if the labels were a calibration set from elsewhere."""
    by = {stratum.stratum: stratum for stratum in counts}
    f, c = (by.get(name, StratumCount(name, 0, 0, 0)) for name in ("flagged", "clear"))
    if delta:
        table = [[f.events, f.labelled - f.events], [c.events, c.labelled - c.events]]
        return inverted_shares(("bad", "fine"), [f.size, c.size], table, group={})[0]
    calibration = Calibration(f.events, f.events + c.events, c.labelled - c.events, f.labelled + c.labelled - f.events - c.events)
    return rogan_gladen(f.size, f.size + c.size, calibration, group={})


def sample(rng: np.random.Generator, population: Frame, design: str, n: int) -> list[StratumCount]:
    if design == ENRICHED:
        strata = cells(population, "verdict_x_band")
        seen_in: dict[str, int] = {}
        for band, labels in ((" in", round(0.75 * n)), (" out", n - round(0.75 * n))):
            sizes = [strata.get(f"{verdict}{band}", (0, 0))[0] for verdict in ("flagged", "clear")]
            seen_in[f"flagged{band}"] = int(rng.hypergeometric(*sizes, labels))
            seen_in[f"clear{band}"] = labels - seen_in[f"flagged{band}"]
        return drawn(rng, strata, seen_in)
    if design in ("SRS", "none"):
        chosen = rng.permutation(population.truth.size)[:n]
        found = []
        for name, members in (("clear", ~population.verdict), ("flagged", population.verdict)):
            seen = members[chosen]
            found.append(StratumCount(name, int(members.sum()), int(seen.sum()), int(population.truth[chosen][seen].sum())))
        return [stratum for stratum in found if stratum.size]
    by, how = design.removeprefix("stratified[").split("] ")
    strata = cells(population, by)
    return drawn(rng, strata, labels_by(how, {name: size for name, (size, _) in strata.items()}, n))


@dataclass(frozen=True)
class Found:
    """What a design did with so many labels."""

    studies: Mapping[str, Study]
    """By estimator."""
    labels: Mapping[str, float]
    """Mean labels by stratum, where the design sets them."""


def simulated(design: str, n: int, replicates: int, seed: int, names: Iterable[str] | None = None) -> Found:
    functions = {name: function for name, function in offered(design).items() if names is None or name in names}
    found: dict[str, list[tuple[float, Estimate]]] = {name: [] for name in functions}
    labels: Counter[str] = Counter()
    for replicate in range(replicates):
        rng = np.random.default_rng([seed, n, replicate])
        population = frame(rng)
        counts = sample(rng, population, design, n)
        labels.update({stratum.stratum: stratum.labelled for stratum in counts})
        for name, function in functions.items():
            found[name].append((population.rate, function(counts, population)))
    by_design = {name: total / replicates for name, total in labels.items()} if design.startswith("stratified") else {}
    return Found({name: summary(pairs) for name, pairs in found.items()}, by_design)


Row = Mapping[str, str]
Check = Callable[[Study, Row, Found], bool]


def percent(of: Callable[[Study], float], column: str) -> Check:
    """Within a point, and three standard errors of the difference."""

    def check(study: Study, expected: Row, _: Found) -> bool:
        theirs = float(expected[column])
        return abs(of(study) - theirs) < 1 + noise(theirs, study.replicates, int(expected["replicates"]))

    return check


def error(study: Study, expected: Row, spread: float) -> float:
    """0.03 points (Rogan-Gladen 0.1) and three standard errors of a difference of means with this spread."""
    tolerance = 0.1 if "Rogan" in expected["estimator"] else 0.03
    return tolerance + 3 * spread * math.sqrt(1 / study.replicates + 1 / int(expected["replicates"]))


def bias(study: Study, expected: Row, _: Found) -> bool:
    return abs(study.bias - float(expected["bias_pp"])) < error(study, expected, float(expected["rmse_pp"]))


def mean(study: Study, expected: Row, _: Found) -> bool:
    # The rate of a population of 2,000 has a spread of its own, 0.31 points.
    spread = math.hypot(float(expected["rmse_pp"]), 0.31)
    return abs(study.mean - float(expected["mean_est_pct"])) < error(study, expected, spread)


def rmse(study: Study, expected: Row, _: Found) -> bool:
    # Twice the error of the standard deviation of a normal variable: the errors are skewed.
    return abs(study.rmse - float(expected["rmse_pp"])) < error(study, expected, 1.5 * float(expected["rmse_pp"]))


def mean_width(study: Study, expected: Row, _: Found) -> bool:
    return abs(study.width / float(expected["mean_width_pp"]) - 1) < slack(expected) + 1.5 / study.replicates**0.5


def median_width(study: Study, expected: Row, _: Found) -> bool:
    return near_median(study, float(expected["median_width_pp"]), int(expected["replicates"]), slack=slack(expected))


def slack(expected: Row) -> float:
    # Our draws give every stratum two labels; with four strata and few labels that shifts a few of them.
    return 0.05 if "band" in expected["design"] or "Rogan" in expected["estimator"] else 0.03


def labels(_: Study, expected: Row, found: Found) -> bool:
    """Within a label and 2 %, for the same reason; nothing is set by a simple random sample."""
    theirs = [float(each) for each in expected["mean_n_by_stratum"].split("/") if each]
    # In the order of the file: flagged before clear, and inside the borderline band before outside.
    ours = [found.labels[name] for name in sorted(found.labels, key=lambda name: (name.startswith("clear"), name))]
    return len(ours) == len(theirs) and all(abs(a - b) < 1 + 0.02 * b for a, b in zip(ours, theirs, strict=True))


COLUMNS: Mapping[str, Check] = {
    "undefined_pct": percent(lambda study: study.undefined, "undefined_pct"),
    "mean_est_pct": mean, "bias_pp": bias, "rmse_pp": rmse,
    "cover_fin_pct": percent(lambda study: study.coverage, "cover_fin_pct"),
    "miss_low_pct": percent(lambda study: study.below, "miss_low_pct"),
    "miss_high_pct": percent(lambda study: study.above, "miss_high_pct"),
    "cover_sup_pct": percent(lambda study: study.process_coverage, "cover_sup_pct"),
    "mean_width_pp": mean_width, "median_width_pp": median_width, "mean_n_by_stratum": labels,
}  # fmt: skip
"""What of a row is compared, and how."""
OF_INTERVALS = {"cover_fin_pct", "miss_low_pct", "miss_high_pct", "cover_sup_pct", "mean_width_pp", "median_width_pp"}
WITHOUT_INTERVAL = {"naive judge rate + Wilson(N)", POINT_ONLY}


def compared(design: str, estimator: str) -> set[str]:
    """The columns that are compared of a row; none of an estimator that is not offered."""
    if estimator not in offered(design):
        return set()
    return COLUMNS.keys() - OF_INTERVALS if estimator in WITHOUT_INTERVAL else set(COLUMNS)


def check(shared: Path, design: str, n: int, found: Found) -> None:
    wrong = []
    for name, study in found.studies.items():
        expected = row(shared, design, n, name)
        columns = [column for column in sorted(compared(design, name)) if not COLUMNS[column](study, expected, found)]
        wrong += [(name, column, expected[column], replace(study, widths=())) for column in columns]
    assert not wrong, (design, n, found.labels, wrong)


def test_the_designs_of_the_table_are_known(shared: Path) -> None:
    assert {r["design"] for r in rows(shared)} == {"none", "SRS", ENRICHED, *DESIGNS}


@pytest.mark.parametrize("n", [100, 200, 400])
def test_conservative_and_process_rows_are_reproduced(shared: Path, n: int) -> None:
    design = "stratified[verdict] mix"
    names = [f"stratified/difference + {name}" for name in INTERVALS if name != "MOVER-Jeffreys (fpc)"]
    found = simulated(design, n, 500, seed=20277, names=names)
    check(shared, design, n, found)
    assert found.studies["stratified/difference + MOVER-Clopper-Pearson (no fpc)"].coverage > 96


@pytest.mark.parametrize("design", ["SRS", ENRICHED, "stratified[verdict_x_band] mix"])
def test_other_designs_are_reproduced(shared: Path, design: str) -> None:
    check(shared, design, 200, simulated(design, 200, 300, seed=20278))


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("design", ["none", "SRS", ENRICHED, *DESIGNS])
def test_the_whole_table_is_reproduced(shared: Path, design: str, record_property: Callable[[str, object], None]) -> None:
    for n in (100, 200, 400):
        found = simulated(design, n, 10_000, seed=20279)
        for name, study in found.studies.items():
            record_property(f"{design}, n {n}, {name}", replace(study, widths=()))
        check(shared, design, n, found)
