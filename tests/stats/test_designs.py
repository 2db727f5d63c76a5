"""Which labelled items a design takes, and what it says of those that it leaves out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudicate.core.policy import Rate
from adjudicate.stats.bounding import Bounding
from adjudicate.stats.contested import both_intents
from adjudicate.stats.designs import Scope, design_of, stratum_counts
from adjudicate.stats.evidence import CellCount, Evidence, LabelledItem
from adjudicate.stats.gate import Demand, decide_row
from adjudicate.stats.intent_strata import intent_frame
from adjudicate.stats.rate_counts import RateCounts, bounded_rate, rate_counts
from adjudicate.stats.report_contested import intent_strata
from adjudicate.stats.report_rates import corrected_rates
from adjudicate.stats.run_change import LabelledPair, Pairs, run_change

RATE = Rate("hc", "HC", "harmful", ("bad",), "lower")

JEFFREYS = Bounding("jeffreys")


def item(number: int, gold: str | None, *, in_turn: bool = True, sampled: bool = True) -> LabelledItem:
    return LabelledItem(
        f"i{number}", "s", "h", "harmful", "m", gold, gold, {}, {}, sampled=sampled, prompt=f"p{number}", in_turn=in_turn
    )


def evidence(items: list[LabelledItem], size: int = 40, *, skipped: int = 0) -> Evidence:
    cell = CellCount("s", "h", "harmful", "m", "", None, size)
    left = (replace(cell, size=skipped),) if skipped else ()
    return Evidence(("fine", "bad"), (RATE,), (cell,), tuple(items), skipped=left)


def test_labels_out_of_turn_are_set_aside_and_those_outside_the_draw_counted_apart() -> None:
    items = [item(0, "bad"), item(1, "fine"), item(2, "fine", in_turn=False), item(3, "fine", sampled=False)]
    plan = design_of(evidence(items), Scope("h"))
    assert [each.item_id for each in plan.items] == ["i0", "i1"]
    assert plan.notes == {"outside_sample": 1, "set_aside": 1}
    found = corrected_rates(evidence(items))[0]
    assert (found.value, found.details["set_aside"]) == (0.5, 1)


def test_a_census_takes_every_label() -> None:
    plan = design_of(evidence([item(n, "fine", in_turn=False) for n in range(4)], 4), Scope("h"))
    assert (plan.design, len(plan.items), plan.set_aside) == ("census", 4, 0)


def test_non_response_is_part_of_the_sample_and_open_either_way() -> None:
    """One event of four, one waiting for a ruling, three skipped: 1/8 to 5/8."""
    items = [item(0, "bad"), *(item(n, "fine") for n in (1, 2, 3)), item(4, None)]
    plan = design_of(evidence(items, skipped=3), Scope("h"))
    [stratum] = stratum_counts(plan.sizes, plan.items, RATE.counts.__contains__, plan.non_response)
    assert (stratum.labelled, stratum.unresolved, stratum.non_response, stratum.open) == (4, 1, 3, 4)
    found = corrected_rates(evidence(items, skipped=3))[0]
    assert (found.value, found.details["unresolved"], found.details["non_response"]) == (0.25, 1, 3)
    assert found.details["unresolved_bounds"] == pytest.approx([1 / 8, 5 / 8])
    frame = intent_frame(evidence(items, skipped=3), Scope(intent="harmful"))
    both = both_intents(intent_strata(frame, RATE), JEFFREYS, group={})
    for reading in (both.declared, both.adjudicated):
        assert reading.details["non_response"] == 3
        assert reading.details["unresolved_bounds"] == pytest.approx([1 / 8, 5 / 8])


def counts(labels: str, *, skipped: int = 0) -> RateCounts:
    """One letter a labelled item, b for an event."""
    items = [item(n, {"b": "bad", "f": "fine"}[letter]) for n, letter in enumerate(labels)]
    [found] = rate_counts(evidence(items, skipped=skipped))
    return found


@pytest.mark.parametrize(("skipped", "result"), [(0, "pass"), (10, "undecided")])
def test_a_gate_is_widened_by_non_response(skipped: int, result: str) -> None:
    """No event among 20 of 40: upper limit 16.8 %. Ten skipped ones could lift the rate by 33 points."""
    rate = bounded_rate(counts("f" * 20, skipped=skipped), Bounding())
    assert decide_row(Demand("lower", bound=0.2), group={}, after=rate).result == result


def test_non_response_widens_a_change_on_pairs_by_what_it_stands_for_on_either_side() -> None:
    """20 pairs of 40 labelled alike, 5 more skipped after: a fifth of that side."""
    before, after = counts("f" * 20), counts("f" * 20, skipped=5)
    labelled = tuple(LabelledPair(("s", "s"), "fine", "fine") for _ in range(20))
    found = run_change(before, after, Pairs({("s", "s"): 40}, labelled, 40, 40), Bounding())
    assert (found.statistic, found.value, found.details["non_response"]) == ("paired_difference", 0.0, 5)
    assert found.details["unresolved_bounds"] == pytest.approx([-5 / 25, 5 / 25])
    assert decide_row(Demand("lower", margin=0.2), group={}, after=None, difference=found).result == "undecided"
