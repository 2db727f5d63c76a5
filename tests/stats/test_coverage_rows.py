"""The coverage study's other rows: every design and interval that the product offers, against corrected_rate_coverage.csv.

The default row, through the product's own drawing too, is in test_coverage. Rows that cannot apply are named in `NOT_OFFERED`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.stats.corrected import StratumCount
from adjudicate.stats.outcome_shares import inverted_shares
from adjudicate.stats.rates import raw_rate
from adjudicate.stats.rogan_gladen import Calibration, rogan_gladen
from tests.stats.simulation import Frame, Study, cells, collapsed, corrected, drawn, frame, labels_by, noise, summary

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
NOT_OFFERED = {
    "Wald": "zero width without an event; covers 6 to 95 %",
    "logit-Wald": "undefined without an event",
    "Korn-Graubard": "inherits the zero variance of Wald",
    "Jeffreys predictive": "covers 86 to 90 % with four small strata",
    "bootstrap": "cannot create an event that was never seen",
    "PPI": "the difference estimator; for a binary verdict the stratified mean, offered with MOVER limits",
    "weights ignored": "labels of unequal probability are never used without weights (sample only)",
    "design-weighted (point only)": "Rogan-Gladen is offered for calibration sets from elsewhere, which have no design here",
    "difference (lambda=1)": "the Hajek form is offered instead, see test_hajek",
}
ALLOCATIONS = ("proportional", "neyman", "planning", "mix")
DESIGNS = [f"stratified[{by}] {how}" for by in ("verdict", "verdict_x_band") for how in ALLOCATIONS]
DESIGNS.append("stratified[verdict] takeall")


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
    if design == "75% of labels from the borderline band":
        return {"weighted human-only (Horvitz-Thompson) + MOVER-Wilson (fpc)": stratified(INTERVALS["MOVER-Wilson (fpc)"])}
    if design == "SRS":
        return {
            **{name: (lambda counts, _, o=options: corrected(whole(counts), **o)) for name, options in HUMAN_ONLY.items()},
            **{
                name: (lambda counts, _, o=options: corrected(collapsed(counts), **o)) for name, options in POSTSTRATIFIED.items()
            },
            "Rogan-Gladen + Lang-Reiczigel": lambda counts, _: misclassified(counts, delta=False),
            "Rogan-Gladen + delta": lambda counts, _: misclassified(counts, delta=True),
        }
    return {f"stratified/difference + {name}": stratified(options) for name, options in INTERVALS.items()}


def whole(counts: list[StratumCount]) -> list[StratumCount]:
    return [StratumCount("all", sum(s.size for s in counts), sum(s.labelled for s in counts), sum(s.events for s in counts))]


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
    if design == "75% of labels from the borderline band":
        return drawn(rng, cells(population, "band"), {" in": round(0.75 * n), " out": n - round(0.75 * n)})
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


def studies(design: str, n: int, replicates: int, seed: int, names: Iterable[str] | None = None) -> dict[str, Study]:
    functions = {name: function for name, function in offered(design).items() if names is None or name in names}
    found: dict[str, list[tuple[float, Estimate]]] = {name: [] for name in functions}
    for replicate in range(replicates):
        rng = np.random.default_rng([seed, n, replicate])
        population = frame(rng)
        counts = sample(rng, population, design, n)
        for name, function in functions.items():
            found[name].append((population.rate, function(counts, population)))
    return {name: summary(pairs) for name, pairs in found.items()}


def check(shared: Path, design: str, n: int, found: dict[str, Study]) -> None:
    for name, study in found.items():
        expected = row(shared, design, n, name)
        others, rmse = int(expected["replicates"]), float(expected["rmse_pp"])
        place = (design, n, name, study)
        tolerance = 0.1 if "Rogan" in name else 0.03
        assert abs(study.bias - float(expected["bias_pp"])) < tolerance + 3 * rmse * (1 / study.replicates + 1 / others) ** 0.5, (
            place
        )
        undefined = float(expected["undefined_pct"])
        assert abs(study.undefined - undefined) < 1 + noise(undefined, study.replicates, others), place
        if not study.width:
            continue
        for ours, column in (
            (study.coverage, "cover_fin_pct"), (study.process_coverage, "cover_sup_pct"), (study.below, "miss_low_pct"),
            (study.above, "miss_high_pct"),
        ):  # fmt: skip
            theirs = float(expected[column])
            assert abs(ours - theirs) < 1 + noise(theirs, study.replicates, others), (column, theirs, *place)
        # Our draws give every stratum two labels; with four strata and few labels that shifts a few of them.
        slack = 0.05 if "band" in design or "Rogan" in name else 0.03
        assert abs(study.width / float(expected["mean_width_pp"]) - 1) < slack + 1.5 / study.replicates**0.5, place


def test_every_row_is_reproduced_or_named(shared: Path) -> None:
    designs = {r["design"] for r in rows(shared)}
    assert designs == {"none", "SRS", "75% of labels from the borderline band", *DESIGNS}
    for each in rows(shared):
        known = each["estimator"] in offered(each["design"])
        named = [reason for reason in NOT_OFFERED if reason in each["estimator"]]
        assert known or named, each


@pytest.mark.parametrize("n", [100, 200, 400])
def test_conservative_and_process_rows_are_reproduced(shared: Path, n: int) -> None:
    design = "stratified[verdict] mix"
    names = [f"stratified/difference + {name}" for name in INTERVALS if name != "MOVER-Jeffreys (fpc)"]
    found = studies(design, n, 500, seed=20277, names=names)
    check(shared, design, n, found)
    assert found["stratified/difference + MOVER-Clopper-Pearson (no fpc)"].coverage > 96


@pytest.mark.parametrize("design", ["SRS", "75% of labels from the borderline band", "stratified[verdict_x_band] mix"])
def test_other_designs_are_reproduced(shared: Path, design: str) -> None:
    check(shared, design, 200, studies(design, 200, 300, seed=20278))


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("design", ["none", "SRS", "75% of labels from the borderline band", *DESIGNS])
def test_the_whole_table_is_reproduced(shared: Path, design: str, record_property: Callable[[str, object], None]) -> None:
    for n in (100, 200, 400):
        found = studies(design, n, 10_000, seed=20279)
        for name, study in found.items():
            record_property(f"{design}, n {n}, {name}", study)
        check(shared, design, n, found)
