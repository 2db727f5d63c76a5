"""Mean points with the judge's scores as predictions: the value by hand, its kin from labels alone, and its coverage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from adjudicate.core.policy import Rate
from adjudicate.stats.evidence import CellCount, Evidence, LabelledItem, ScoresOfJudge
from adjudicate.stats.report_mean_scores import RARE, mean_scores

POINTS: Mapping[str, Mapping[str, float]] = {"benign": {"full": 100.0, "part": 60.0, "none": 0.0}}
OUTCOMES = ("full", "part", "none")
RATES = (Rate("br", "BR", "benign", ("none",), "lower"),)


def item(number: int, gold: str | None, score: float | None, stratum: str = "s") -> LabelledItem:
    scores = {} if score is None else {"j": ScoresOfJudge(None, score, None)}
    return LabelledItem(f"i{number}", stratum, "b", "benign", "m", gold, gold, {"j": "full"}, {}, sampled=True, scores=scores)


def cells(stratum: str, size: int, total: float, scored: int | None = None) -> list[CellCount]:
    """A stratum with the sum of the judge's scores on its items."""
    return [
        CellCount(stratum, "b", "benign", "m", "", None, size),
        CellCount(stratum, "b", "benign", "m", "j", "full", size, size if scored is None else scored, total),
    ]


def evidence(frame: list[CellCount], items: list[LabelledItem]) -> Evidence:
    return Evidence(OUTCOMES, RATES, tuple(frame), tuple(items), judges=("j",), points=POINTS)


def test_labels_correct_the_mean_of_the_scores() -> None:
    """Strata of 10 and 30 items, mean scores 50 and 90; 2 and 3 labels with errors -50, -10 and 10, 5, -60."""
    frame = [*cells("a", 10, 500), *cells("b", 30, 2700)]
    items = [item(0, "none", 50, "a"), item(1, "part", 70, "a"), item(2, "full", 90, "b"), item(3, "full", 95, "b"),
             item(4, "none", 60, "b")]  # fmt: skip
    [found] = mean_scores(evidence(frame, items))
    # Mean score (500 + 2700) / 40 = 80; correction (5 (-60) + 10 (-45)) / 40 = -18.75.
    assert found.value == pytest.approx(80 - 18.75)
    assert (found.unit, found.n) == ("points", 5)
    assert found.group == {"of": "helpfulness", "by": "gold", "population": "b", "judge": "j"}
    assert found.details["mean_prediction"] == pytest.approx(80)
    # Labels alone: (10 x 30 + 30 x 200/3) / 40.
    assert found.details["labels_alone"]["value"] == pytest.approx((300 + 2000) / 40)


def test_scores_that_say_nothing_change_nothing() -> None:
    frame = [*cells("a", 10, 500), *cells("b", 30, 1500)]
    items = [item(n, "part" if n % 2 else "full", 50, "ab"[n % 2]) for n in range(8)]
    [found] = mean_scores(evidence(frame, items))
    assert found.value == pytest.approx(found.details["labels_alone"]["value"])


def test_an_item_without_a_score_is_predicted_by_the_mean_of_the_others() -> None:
    # 8 of 10 items have a score, 60 on average; labels say 100 and 60, the judge 80 on the first and nothing on the second.
    [found] = mean_scores(evidence(cells("s", 10, 480, scored=8), [item(0, "full", 80), item(1, "part", None)]))
    assert found.value == pytest.approx(60 + (20 + 0) / 2)
    assert found.details["without_score"] == 2


def test_open_items_are_counted_and_bounded() -> None:
    [found] = mean_scores(evidence(cells("s", 10, 600), [item(0, "full", 60), item(1, "full", 60), item(2, None, 60)]))
    assert found.n == 2
    assert found.details["unresolved"] == 1
    # 60 + (40 + 40 - 60) / 3 and 60 + (40 + 40 + 40) / 3.
    assert found.details["unresolved_bounds"] == pytest.approx([60 + 20 / 3, 100])


def test_items_that_everyone_skipped_are_counted_and_bounded_as_they_are_in_labels_alone() -> None:
    given = evidence(cells("s", 10, 600), [item(0, "full", 60), item(1, "part", 80)])
    skipped = (CellCount("s", "b", "benign", "m", "", None, 2),)
    [found], [plain] = mean_scores(replace(given, skipped=skipped)), mean_scores(given)
    assert (found.value, found.details["non_response"]) == (plain.value, 2)
    # Labels 100 and 60, predictions 60 and 80: 60 + (160 + 2 x) / 4 - 70 at x = 0 and 100.
    assert found.details["unresolved_bounds"] == pytest.approx([30, 80])


def test_rare_errors_get_no_normal_interval() -> None:
    items = [item(n, "none" if n < 4 else "full", 90) for n in range(50)]
    [found] = mean_scores(evidence(cells("s", 500, 45000), items))
    assert (found.low, found.confidence, found.details["no_interval"]) == (None, None, RARE)
    assert found.details["labels_alone"]["low"] is not None
    [more] = mean_scores(evidence(cells("s", 500, 45000), [*items[1:], item(0, "none", 90), item(99, "part", 90)]))
    assert more.low is not None


def test_a_full_review_is_the_mean_itself() -> None:
    [found] = mean_scores(evidence(cells("s", 2, 100), [item(0, "full", 90), item(1, "none", 10)]))
    assert (found.low, found.value, found.high) == (50, 50, 50)


def test_it_is_undefined_where_a_stratum_has_no_label_and_silent_without_scores_or_points() -> None:
    frame = [*cells("a", 10, 500), *cells("b", 30, 2700)]
    [found] = mean_scores(evidence(frame, [item(0, "full", 50, "a")]))
    assert found.undefined == "1 of 2 strata have no settled label"
    assert mean_scores(evidence(cells("s", 10, 0, scored=0), [item(0, "full", None)])) == []
    assert mean_scores(replace(evidence(frame, []), points={})) == []
    outside = [replace(each, stratum="", sampled=False) for each in (item(0, "full", 50),)]
    [reviewed] = mean_scores(evidence(cells("", 10, 500), outside))
    assert "sample only" in str(reviewed.undefined)


def study(replicates: int, n: int) -> tuple[float, float]:
    """Coverage in percent, and width over that of labels alone, at n labels in each of two verdict strata of 1,000 items."""
    covered, widths, alone = 0, [], []
    for replicate in range(replicates):
        rng = np.random.default_rng([20283, replicate])
        truth = rng.choice(3, 1000, p=[0.6, 0.25, 0.15])
        points = np.array([POINTS["benign"][OUTCOMES[t]] for t in truth])
        scores = np.clip(0.7 * points + 20 + rng.normal(0, 12, 1000), 0, 100)
        flagged = rng.random(1000) < np.array([0.1, 0.5, 0.8])[truth]
        frame: list[CellCount] = []
        items: list[LabelledItem] = []
        for name, inside in (("flagged", flagged), ("clear", ~flagged)):
            places = np.flatnonzero(inside)
            frame += cells(name, places.size, float(scores[places].sum()))
            items += [item(int(i), OUTCOMES[truth[i]], float(scores[i]), name) for i in rng.permutation(places)[:n]]
        [found] = mean_scores(evidence(frame, items))
        if found.low is None or found.high is None:
            continue
        covered += found.low <= points.mean() <= found.high
        widths.append(found.high - found.low)
        alone.append(found.details["labels_alone"]["high"] - found.details["labels_alone"]["low"])
    assert len(widths) > 0.9 * replicates
    return 100 * covered / len(widths), float(np.mean(widths) / np.mean(alone))


@pytest.mark.parametrize("n", [50, 100])
def test_it_covers_and_is_much_narrower_than_labels_alone(n: int) -> None:
    coverage, width = study(300, n)
    assert coverage >= 93
    assert width < 0.6
