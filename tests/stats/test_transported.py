"""Rates and shares by labels from elsewhere: right where errors carry over, refused without hope, silent without a set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from adjudicate.core.policy import Rate
from adjudicate.stats.calibration_set import SAMPLE_ONLY, Judged, JudgeErrors
from adjudicate.stats.design_effect import TOO_FEW
from adjudicate.stats.evidence import CellCount, Elsewhere, Evidence, LabelledItem
from adjudicate.stats.rogan_gladen import NO_BETTER_THAN_CHANCE, TRANSPORT, Calibration, rogan_gladen
from adjudicate.stats.transported import (
    CLUSTERED,
    FAILED,
    SAME_JUDGE,
    SEEN_NOWHERE,
    WEIGHTED,
    transported_rates,
    transported_shares,
)

OUTCOMES = ("fine", "part", "bad")
RATES = (Rate("hc", "HC", "harmful", ("bad",), "lower"),)


def here(verdicts: dict[str | None, int], elsewhere: Elsewhere | None, judge: str = "j") -> Evidence:
    size = sum(verdicts.values())
    cells = [CellCount("", "h/direct", "harmful", "m", "", None, size)]
    cells += [CellCount("", "h/direct", "harmful", "m", judge, verdict, n) for verdict, n in verdicts.items()]
    return Evidence(OUTCOMES, RATES, tuple(cells), (), judges=(judge,), elsewhere=elsewhere)


def there(counts: dict[tuple[str, str], int], *, unlabelled: int = 0, population: str = "h/other") -> Elsewhere:
    """A census of so many items by (verdict, truth), or part of a frame."""
    pairs = [pair for pair, n in counts.items() for _ in range(n)]
    items = [
        LabelledItem(f"t{place}", "", population, "harmful", "m", truth, truth, {"j": verdict}, {"a": truth}, sampled=False)
        for place, (verdict, truth) in enumerate(pairs)
    ]
    tally = Counter(verdict for verdict, _ in pairs)
    cells = [CellCount("", population, "harmful", "m", "", None, len(pairs) + unlabelled)]
    cells += [CellCount("", population, "harmful", "m", "j", verdict, n) for verdict, n in tally.items()]
    return Elsewhere("lab", "f" * 64, Evidence(OUTCOMES, RATES, tuple(cells), tuple(items), ("a",), ("j",)))


GOOD = {("bad", "bad"): 18, ("fine", "bad"): 2, ("bad", "fine"): 6, ("fine", "fine"): 14, ("part", "part"): 10}


def test_nothing_without_a_calibration_set_or_without_a_judge_in_both() -> None:
    plain = here({"bad": 40, "fine": 60}, None)
    assert transported_rates(plain) == transported_shares(plain) == []
    other = here({"bad": 40, "fine": 60}, there(GOOD), judge="k")
    assert transported_rates(other) == transported_shares(other) == []


def test_the_rate_is_rogan_gladen_of_the_counts_there() -> None:
    [found] = transported_rates(here({"bad": 40, "fine": 50, "part": 10, None: 3}, there(GOOD)))
    # Events there: 18 of 20 seen. Others: 14 + 10 of 30 cleared.
    plain = rogan_gladen(40, 100, Calibration(18, 20, 24, 30), group={})
    assert (found.value, found.low, found.high, found.n) == (plain.value, plain.low, plain.high, 100)
    assert found.group == {"rate": "hc", "population": "h/direct", "judge": "j"}
    assert found.statistic == "transported_rate"
    assert all(words in found.assumes for words in (TRANSPORT, SAME_JUDGE, FAILED)) and WEIGHTED not in found.assumes
    assert found.details["judge_failed"] == 3
    # No population of that name there, so all of the intent stand for it, and that is said.
    assert (found.details["calibration"]["intent"], found.details["calibration"]["populations"]) == ("harmful", ["h/other"])
    [same] = transported_rates(here({"bad": 40, "fine": 60}, there(GOOD, population="h/direct")))
    assert same.details["calibration"]["population"] == "h/direct"


def test_shares_of_all_outcomes_sum_to_one_and_recover_the_truth() -> None:
    # Truth here: 50, 30, 20 %. Verdicts by the matrix there: fine 0.7 x 50 + 0.1 x 20, part 30, bad 0.3 x 50 + 0.9 x 20.
    found = transported_shares(here({"fine": 370, "part": 300, "bad": 330}, there(GOOD)))
    assert [each.group["outcome"] for each in found] == list(OUTCOMES)
    assert [each.value for each in found] == pytest.approx([0.5, 0.3, 0.2])
    assert {each.statistic for each in found} == {"transported_share"}


def test_outcomes_that_nobody_names_stay_undefined_and_the_others_sum_to_one() -> None:
    two = {pair: n for pair, n in GOOD.items() if "part" not in pair}
    found = {each.group["outcome"]: each for each in transported_shares(here({"bad": 40, "fine": 60}, there(two)))}
    assert found["part"].undefined == SEEN_NOWHERE
    assert sum(each.value for each in found.values() if each.value is not None) == pytest.approx(1)


def test_a_judge_no_better_than_chance_there_is_refused_with_both_numbers() -> None:
    [found] = transported_rates(here({"bad": 40, "fine": 60}, there({("bad", "bad"): 4, ("fine", "bad"): 6, ("fine", "fine"): 5,
                                                                  ("bad", "fine"): 5})))  # fmt: skip
    assert found.undefined == f"{NO_BETTER_THAN_CHANCE} (0.400 + 0.500)"
    assert (found.value, found.low, found.high) == (None, None, None)


def test_labels_without_a_design_there_refuse_everything() -> None:
    given = here({"bad": 40, "fine": 60}, there(GOOD, unlabelled=5))
    assert {each.undefined for each in (*transported_rates(given), *transported_shares(given))} == {SAMPLE_ONLY}


def drawn_there(
    rng: np.random.Generator, sizes: Sequence[int], n: Sequence[int], truth: np.ndarray, seen: np.ndarray
) -> Elsewhere:
    """A sample by verdict: strata of flagged and cleared items, and so many labels in each."""
    cells: list[CellCount] = []
    items: list[LabelledItem] = []
    for stratum, flag, size, wanted in zip(("flagged", "clear"), (True, False), sizes, n, strict=True):
        verdict = "bad" if flag else "fine"
        cells += [CellCount(stratum, "h", "harmful", "m", judge, verdict if judge else None, size) for judge in ("", "j")]
        for place in rng.permutation(np.flatnonzero(seen == flag))[:wanted]:
            gold = "bad" if truth[place] else "fine"
            items.append(
                LabelledItem(f"t{place}", stratum, "h", "harmful", "m", gold, gold, {"j": verdict}, {"a": gold}, sampled=True)
            )
    return Elsewhere("lab", "f", Evidence(OUTCOMES, RATES, tuple(cells), tuple(items), ("a",), ("j",)))


def study(replicates: int, flagged: int, clear: int) -> tuple[float, float]:
    """Coverage of the true rate here (10 %) in percent, and bias in points, with labels there enriched by verdict."""
    covered, values = 0, []
    for replicate in range(replicates):
        rng = np.random.default_rng([20281, replicate])
        truth = rng.random(3000) < 0.3
        seen = rng.random(3000) < np.where(truth, 0.8, 0.1)
        flags = int(seen.sum())
        elsewhere = drawn_there(rng, (flags, 3000 - flags), (flagged, clear), truth, seen)
        judged = rng.binomial(2000, 0.1 * 0.8 + 0.9 * 0.1)
        [found] = transported_rates(here({"bad": int(judged), "fine": 2000 - int(judged)}, elsewhere))
        assert WEIGHTED in found.assumes
        assert found.value is not None and found.low is not None and found.high is not None
        covered += found.low <= 0.1 <= found.high
        values.append(found.value)
    return 100 * covered / replicates, 100 * (float(np.mean(values)) - 0.1)


@pytest.mark.parametrize(("flagged", "clear"), [(150, 150), (200, 100)])
def test_an_enriched_calibration_set_is_weighted_and_covered(flagged: int, clear: int) -> None:
    """Unweighted counts would claim a sensitivity of 0.93 or more instead of 0.8."""
    coverage, bias = study(300, flagged, clear)
    assert coverage >= 94
    assert abs(bias) < 0.6


def doubled(counts: dict[tuple[str, str], int]) -> Elsewhere:
    """The same, each item with a twin of its own prompt on which judge and people say the same."""
    found = there({pair: 2 * n for pair, n in counts.items()})
    pairs = [replace(item, prompt=f"p{place // 2}") for place, item in enumerate(found.evidence.items)]
    return replace(found, evidence=replace(found.evidence, items=tuple(pairs)))


HALF = {("bad", "bad"): 9, ("fine", "bad"): 1, ("bad", "fine"): 4, ("fine", "fine"): 16}


def test_labels_in_clusters_count_at_their_effective_number() -> None:
    verdicts: dict[str | None, int] = {"bad": 400, "fine": 600}
    [found] = transported_rates(here(verdicts, doubled(HALF)))
    # Ten pairs of events that are alike: the design effect is (2 * 10 - 1) / (10 - 1), and Student's t with 9 degrees of freedom
    # is 2.262157 where z is 1.959964. So 20 events count as 20 * 9 / 19 * (1.959964 / 2.262157)^2 = 7.1116.
    assert found.details["positives"] == pytest.approx(7.1116, abs=1e-4)
    assert found.details["true_positive"] == pytest.approx(0.9 * 7.1116, abs=1e-4)
    assert CLUSTERED in found.assumes
    [alone] = transported_rates(here(verdicts, there(HALF)))
    assert found.value == pytest.approx(alone.value) and CLUSTERED not in alone.assumes
    assert (found.low or 0) < (alone.low or 0) and (found.high or 0) > (alone.high or 0), "twins that are alike add nothing"
    by_shares = zip(
        transported_shares(here(verdicts, doubled(HALF))), transported_shares(here(verdicts, there(HALF))), strict=True
    )
    for in_clusters, apart in by_shares:
        assert in_clusters.value == (None if apart.value is None else pytest.approx(apart.value))
        if apart.low is not None and apart.high is not None:
            assert (in_clusters.high or 0) - (in_clusters.low or 0) > apart.high - apart.low


def test_where_all_events_are_of_one_cluster_nothing_is_carried_over() -> None:
    given = there(HALF)
    items = [replace(item, pair="one") if item.gold == "bad" else item for item in given.evidence.items]
    given = replace(given, evidence=replace(given.evidence, items=tuple(items)))
    [found] = transported_rates(here({"bad": 40, "fine": 60}, given))
    assert (found.value, found.undefined) == (None, TOO_FEW)
    assert {each.undefined for each in transported_shares(here({"bad": 40, "fine": 60}, given))} == {TOO_FEW, SEEN_NOWHERE}


@pytest.mark.parametrize("told", [True, False])
def test_limits_cover_the_rate_with_a_clustered_set_only_where_they_know_of_the_clusters(*, told: bool) -> None:
    """40 prompts there with four responses each, alike in truth and in the judge's error more often than not."""
    chance, n, covered = np.random.default_rng(6), 160, 0
    cluster = np.repeat(np.arange(40), 4)
    for _ in range(400):
        truth = np.where(chance.random(n) < 0.6, (chance.random(40) < 0.4)[cluster], chance.random(n) < 0.4)
        right = np.where(chance.random(n) < 0.6, (chance.random(40) < 0.8)[cluster], chance.random(n) < 0.8)
        items = [
            Judged("bad" if of == is_right else "fine", "bad" if of else "fine", 1.0, str(each if told else at))
            for at, (of, is_right, each) in enumerate(zip(truth, right, cluster, strict=True))
        ]
        errors = JudgeErrors(items, None, {"equal_probability": True})
        events, others = (errors.share({name}, {name}.__contains__, 0.95) for name in ("bad", "fine"))
        calibration = Calibration(events.part, events.whole, others.part, others.whole)
        # 30 % events here: 0.3 * 0.8 + 0.7 * 0.2 of the items are flagged.
        found = rogan_gladen(int(chance.binomial(5000, 0.38)), 5000, calibration, group={})
        assert found.low is not None and found.high is not None
        covered += found.low <= 0.3 <= found.high
    # Of 400, 380 cover, give or take 4.4: no fewer than 366 at three standard errors.
    assert (covered >= 366) == told
