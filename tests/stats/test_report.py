"""From evidence to estimates: which design the labels support, and what each row of the table then says."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats import STATISTICS, CellCount, Evidence, LabelledItem
from tests.stats import reference

OUTCOMES = ("fine", "soft", "bad")
RATE = Rate("bad_rate", "Bad", "harmful", ("bad", "soft"), "lower")


def item(number: int, gold: str | None, verdict: str | None = "fine", **changes: object) -> LabelledItem:
    labels = {"a": gold or "fine", "b": gold or "bad"}
    plain = LabelledItem(f"i{number}", "", "harmful", "harmful", "m", gold, gold, {"j": verdict}, labels, sampled=False)
    return replace(plain, **changes)  # type: ignore[arg-type]


def cells(sizes: dict[tuple[str, str | None], int], *, model: str = "m", population: str = "harmful") -> list[CellCount]:
    """Cells of judge j by (stratum, verdict)."""
    return [CellCount(stratum, population, "harmful", model, "j", verdict, n) for (stratum, verdict), n in sizes.items()]


def evidence(frame: list[CellCount], items: list[LabelledItem], **changes: object) -> Evidence:
    plain = Evidence(OUTCOMES, (RATE,), tuple(frame), tuple(items), ("a", "b"), ("j",), resamples=100)
    return replace(plain, **changes)  # type: ignore[arg-type]


def compute(name: str, given: Evidence) -> list[Estimate]:
    return next(row for row in STATISTICS if row.name == name).compute(given)


def of_rate(name: str, given: Evidence) -> Estimate:
    return next(e for e in compute(name, given) if e.group.get("rate") == "bad_rate" and e.statistic == name)


def drawn() -> Evidence:
    """Two strata, 20 flagged with 4 labelled (3 events), 80 clear with 8 labelled (1 event)."""
    flagged = [item(n, "bad" if n < 3 else "fine", "bad", stratum="f", sampled=True) for n in range(4)]
    clear = [item(10 + n, "soft" if n < 1 else "fine", "fine", stratum="c", sampled=True) for n in range(8)]
    return evidence(cells({("f", "bad"): 20, ("c", "fine"): 80}), flagged + clear)


def test_disputed_items_bound_the_accuracy_of_a_sample_by_what_their_stratum_stands_for() -> None:
    """Flagged 3 of 4 right and clear 7 of 8: 0.2 * 3/4 + 0.8 * 7/8. Two disputed clear ones: 7/10 to 9/10 of that stratum."""
    given = drawn()
    waiting = [item(40 + n, None, "fine", stratum="c", sampled=True) for n in range(2)]
    elsewhere = item(50, None, "fine", stratum="c", sampled=False)
    given = replace(given, items=(*given.items, *waiting, elsewhere))
    accuracy = of_rate("judge_accuracy", given)
    assert accuracy.value == pytest.approx(0.2 * 3 / 4 + 0.8 * 7 / 8)
    assert accuracy.details["unresolved"] == 2
    assert accuracy.details["unresolved_bounds"] == pytest.approx([0.15 + 0.8 * 7 / 10, 0.15 + 0.8 * 9 / 10])
    kappa = next(e for e in compute("judge_accuracy", given) if e.statistic == "judge_kappa")
    assert kappa.details["unresolved"] == 2


def test_a_recorded_draw_gives_the_stratified_mean() -> None:
    estimate = of_rate("corrected_rate", drawn())
    # 0.2 * 3/4 + 0.8 * 1/8
    assert estimate.value == pytest.approx(0.25)
    assert estimate.group == {"rate": "bad_rate", "population": "harmful"}
    assert (estimate.details["design"], estimate.details["N"], estimate.n) == ("sample", 100, 12)
    assert "Jeffreys" in estimate.method


def test_raw_and_human_rates_stand_beside_it() -> None:
    raw, human = of_rate("raw_rate", drawn()), of_rate("human_rate", drawn())
    assert (raw.value, raw.group["judge"]) == (0.2, "j")
    assert human.value == pytest.approx(4 / 12)


def test_outcome_rates_of_one_population_add_up_to_one() -> None:
    for name in ("raw_rate", "human_rate", "corrected_rate"):
        shares = [e.value for e in compute(name, drawn()) if "outcome" in e.group]
        assert len(shares) == 3
        assert sum(share for share in shares if share is not None) == pytest.approx(1)


def test_the_item_fixture_gives_the_reference_rates(shared: Path) -> None:
    rows = reference.items(shared)
    sizes = Counter((r["stratum"], r["population"], r["outcome"], r["judge_a"]) for r in rows)
    intents = {"HC": "harmful", "BR": "benign"}
    frame = [CellCount(s, p, intents[o], "m", "a", v, n) for (s, p, o, v), n in sizes.items()]
    items = [
        LabelledItem(r["item"], r["stratum"], r["population"], intents[r["outcome"]], "m", r["human"], r["human"],
                     {"a": r["judge_a"], "b": r["judge_b"]}, {}, sampled=True)
        for r in rows if r["human"]
    ]  # fmt: skip
    rates = (Rate("hc", "", "harmful", ("1",), "lower"), Rate("br", "", "benign", ("1",), "lower"))
    given = Evidence(("0", "1"), rates, tuple(frame), tuple(items), (), ("a",))
    data = reference.read(shared, "judge_validation.json")
    found = {e.group["population"]: e for e in compute("corrected_rate", given) if "rate" in e.group}
    assert found.keys() == data["corrected"].keys()
    for population, expected in data["corrected"].items():
        estimate = found[population]
        assert [estimate.value, estimate.low, estimate.high] == pytest.approx(
            [expected["corrected"], *expected["mover_jeffreys_fpc"]], abs=1e-6
        )
    accuracy = {(e.statistic, e.group.get("rate"), e.group.get("population")): e for e in compute("judge_accuracy", given)}
    for rate, outcome in (("hc", "HC"), ("br", "BR")):
        for measure, (value, error) in data["validation"][outcome]["design_weighted_se"].items():
            estimate = accuracy[f"judge_{measure}", rate, None]
            assert estimate.value == pytest.approx(value, abs=1e-6)
            assert estimate.details["standard_error"] == pytest.approx(error, abs=1e-6)
    overall = accuracy["judge_accuracy", None, None]
    assert overall.value == pytest.approx(data["validation"]["all"]["design_weighted"]["accuracy"], abs=1e-6)


def test_labels_without_a_draw_are_sample_only() -> None:
    given = evidence(cells({("", "fine"): 50}), [item(n, "bad" if n < 2 else "fine") for n in range(10)])
    corrected, human = of_rate("corrected_rate", given), of_rate("human_rate", given)
    assert corrected.undefined == "labels without a recorded draw: sample only"
    assert human.value == 0.2
    accuracy = next(e for e in compute("judge_accuracy", given) if e.group == {"judge": "j"})
    assert "reviewed sample" in accuracy.method
    assert compute("false_omission_rate", given) == []


def test_labels_on_every_item_are_a_census() -> None:
    given = evidence(cells({("", "fine"): 10}), [item(n, "bad" if n < 2 else "fine") for n in range(10)])
    estimate = of_rate("corrected_rate", given)
    assert (estimate.low, estimate.value, estimate.high) == (0.2, 0.2, 0.2)
    assert estimate.details["design"] == "census"
    process = of_rate("corrected_rate", replace(given, target="process"))
    assert process.low is not None
    assert process.low < 0.2


def test_a_census_is_decided_for_each_model() -> None:
    full = [item(n, "fine", model="m1") for n in range(4)]
    some = [item(10 + n, "fine", model="m2") for n in range(2)]
    frame = cells({("", "fine"): 4}, model="m1") + cells({("", "fine"): 9}, model="m2")
    found = {e.group["model"]: e for e in compute("corrected_rate", evidence(frame, full + some)) if "rate" in e.group}
    assert found["m1"].value == 0
    assert found["m2"].value is None


def test_no_labels_yet_is_undefined_not_zero() -> None:
    given = evidence(cells({("", "fine"): 10}), [])
    assert of_rate("corrected_rate", given).undefined == "no labels yet"
    assert of_rate("human_rate", given).undefined == "no settled label"


def test_a_draw_without_labels_has_the_widest_bounds() -> None:
    estimate = of_rate("corrected_rate", evidence(cells({("f", "bad"): 2, ("c", "fine"): 8}), []))
    assert estimate.undefined == "no settled label"
    assert estimate.details["bounds"] == [0, 1]


def test_labels_that_no_draw_chose_never_enter_a_rate() -> None:
    given = drawn()
    triage = [item(90 + n, "bad", "bad", stratum="f", sampled=False) for n in range(3)]
    estimate = of_rate("corrected_rate", replace(given, items=(*given.items, *triage)))
    assert estimate.value == pytest.approx(0.25)
    assert estimate.details["outside_sample"] == 3


def test_items_outside_the_frame_are_counted_not_spoken_for() -> None:
    given = drawn()
    later = replace(given, cells=(*given.cells, *cells({("", "fine"): 7})))
    estimate = of_rate("corrected_rate", later)
    assert estimate.value == pytest.approx(0.25)
    assert estimate.details["outside_frame"] == 7


def test_unresolved_disagreements_give_bounds() -> None:
    given = drawn()
    open_items = tuple(replace(i, gold=None) if i.item_id == "i0" else i for i in given.items)
    estimate = of_rate("corrected_rate", replace(given, items=open_items))
    # Flagged: 2 of 3 settled; with the open one 2/4 or 3/4.
    assert estimate.value == pytest.approx(0.2 * 2 / 3 + 0.1)
    assert estimate.details["unresolved_bounds"] == pytest.approx([0.2 * 0.5 + 0.1, 0.2 * 0.75 + 0.1])


def test_conservative_limits_are_wider() -> None:
    plain, wide = of_rate("corrected_rate", drawn()), of_rate("corrected_rate", replace(drawn(), conservative=True))
    assert "Clopper-Pearson" in wide.method
    assert plain.low is not None
    assert wide.low is not None
    assert wide.low < plain.low


def test_two_judges_do_not_double_the_frame() -> None:
    given = drawn()
    second = tuple(replace(cell, judge="k") for cell in given.cells)
    both = replace(given, cells=given.cells + second, judges=("j", "k"))
    assert of_rate("corrected_rate", both) == of_rate("corrected_rate", given)


def test_rows_without_a_judge_are_the_frame() -> None:
    given = drawn()
    frame = tuple(replace(cell, judge="", verdict=None, size=2 * cell.size) for cell in given.cells)
    assert of_rate("corrected_rate", replace(given, cells=given.cells + frame)).details["N"] == 200


def test_judge_accuracy_is_weighted_by_stratum_and_uses_blind_labels_only() -> None:
    given = drawn()
    accuracy = next(e for e in compute("judge_accuracy", given) if e.group == {"judge": "j"})
    # Flagged: 3 of 4 right; clear: 7 of 8 right.
    assert accuracy.value == pytest.approx(0.2 * 3 / 4 + 0.8 * 7 / 8)
    assisted = tuple(replace(i, blind_gold=None) if i.item_id == "i3" else i for i in given.items)
    accuracy = next(e for e in compute("judge_accuracy", replace(given, items=assisted)) if e.group == {"judge": "j"})
    assert accuracy.n == 11
    assert accuracy.value == pytest.approx(0.2 + 0.8 * 7 / 8)


def test_the_false_omission_rate_looks_at_cleared_items() -> None:
    estimate = of_rate("false_omission_rate", drawn())
    assert (estimate.value, estimate.n, estimate.details["N"]) == (0.125, 8, 80)
    assert estimate.details["sensitivity_implied"] < 0.7


def test_agreement_comes_overall_and_by_population_and_model() -> None:
    items = [item(n, "fine", model=f"m{n % 2}") for n in range(6)]
    frame = cells({("", "fine"): 3}, model="m0") + cells({("", "fine"): 3}, model="m1")
    groups = [dict(e.group) for e in compute("agreement", evidence(frame, items)) if e.statistic == "percent_agreement"]
    assert groups == [
        {}, {"model": "m0"}, {"model": "m1"}, {"population": "harmful"},
        {"population": "harmful", "model": "m0"}, {"population": "harmful", "model": "m1"},
    ]  # fmt: skip


def test_the_order_of_items_and_cells_does_not_matter() -> None:
    given = drawn()
    turned = replace(given, items=given.items[::-1], cells=given.cells[::-1])
    for row in STATISTICS:
        before, after = row.compute(given), row.compute(turned)
        for first, second in zip(before, after, strict=True):
            assert (first.statistic, first.group, first.n) == (second.statistic, second.group, second.n)
        assert [e.value for e in before] == [None if e.value is None else pytest.approx(e.value) for e in after]


def test_every_estimate_can_be_written_as_json() -> None:
    for given in (drawn(), evidence([], []), evidence(cells({("", None): 3}), [item(0, None, None)])):
        for row in STATISTICS:
            for estimate in row.compute(given):
                json.dumps(estimate.as_json())
