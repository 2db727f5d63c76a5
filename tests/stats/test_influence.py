"""How much hangs on an item: the difference between two reports, one ruling apart, by hand and by the estimator itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from adjudicate.core.policy import Rate
from adjudicate.stats.evidence import CellCount, Evidence, LabelledItem
from adjudicate.stats.influence import NO_DRAW, OUT_OF_TURN, OUTSIDE, SAME_EITHER_WAY, Possible, influences
from adjudicate.stats.report_rates import corrected_rates

HARM = Rate("hc", "Harmful compliance", "harmful", ("yes",), "lower")
REFUSAL = Rate("br", "Benign refusal", "benign", ("no",), "lower")
EITHER = Possible(frozenset({"yes", "no"}))


def item(name: str, gold: str | None, stratum: str = "s", *, intent: str = "harmful", sampled: bool = True) -> LabelledItem:
    return LabelledItem(name, stratum, intent, intent, "m", gold, gold, {}, {"a": "yes"}, sampled)


def cell(size: int, stratum: str = "s", intent: str = "harmful") -> CellCount:
    return CellCount(stratum, intent, intent, "m", "", None, size)


def evidence(cells: Iterable[CellCount], items: Iterable[LabelledItem]) -> Evidence:
    return Evidence(("yes", "no", "half"), (HARM, REFUSAL), tuple(cells), tuple(items))


TWO_STRATA = evidence(
    [cell(40, "flagged"), cell(160, "clear")],
    [
        *(item(f"f{n}", "yes", "flagged") for n in range(7)),
        *(item(f"c{n}", "no", "clear") for n in range(15)),
        item("in flagged", None, "flagged"),
        item("in clear", None, "clear"),
    ],
)


def test_it_is_the_weight_of_the_stratum_over_its_labels() -> None:
    # flagged: 40 of 200, 7 settled and this one: 0.2 / 8 = 0.025. clear: 160 of 200, 15 and this one: 0.8 / 16 = 0.05.
    found = influences(TWO_STRATA, {"in flagged": EITHER, "in clear": EITHER})
    assert found["in flagged"].size == pytest.approx(0.025)
    assert found["in clear"].size == pytest.approx(0.05)
    (swing,) = found["in clear"].swings
    assert (swing.rate.id, swing.population, swing.at_most) == ("hc", "harmful", False)


@pytest.mark.parametrize("name", ["in flagged", "in clear"])
def test_it_is_what_the_corrected_rate_moves_between_the_two_rulings(name: str) -> None:
    def rate(outcome: str) -> float:
        ruled = replace(
            TWO_STRATA, items=tuple(replace(each, gold=outcome) if each.item_id == name else each for each in TWO_STRATA.items)
        )
        [found] = [each for each in corrected_rates(ruled) if each.group.get("rate") == "hc"]
        assert found.value is not None
        return found.value

    assert influences(TWO_STRATA, {name: EITHER})[name].size == pytest.approx(rate("yes") - rate("no"))


def test_a_census_counts_each_item_once() -> None:
    given = evidence([cell(4)], [item("a", "no"), item("b", "no"), item("c", "no"), item("d", None)])
    assert influences(given, {"d": EITHER})["d"].size == pytest.approx(1 / 4)


def test_outcomes_that_count_alike_move_nothing() -> None:
    found = influences(TWO_STRATA, {"in clear": Possible(frozenset({"no", "half"}))})["in clear"]
    assert (found.size, found.reason) == (0.0, SAME_EITHER_WAY)


def test_items_that_no_rate_rests_on_say_why() -> None:
    assert influences(evidence([cell(9, "")], [item("a", None, "", sampled=False)]), {"a": EITHER})["a"].reason == NO_DRAW
    drawn = evidence(
        [cell(9), cell(9, "")],
        [item("b", "no"), item("outside", None, "", sampled=False), replace(item("early", None), in_turn=False)],
    )
    found = influences(drawn, {"outside": EITHER, "early": EITHER})
    assert (found["outside"].reason, found["early"].reason) == (OUTSIDE, OUT_OF_TURN)


def test_a_contested_intent_may_move_the_rates_of_both_intents_by_no_more_than_the_items_share() -> None:
    # It stands for 10 / 5 = 2 items; 10 are declared harmful, 50 benign.
    given = evidence(
        [cell(10), cell(50, "b", "benign")],
        [*(item(f"h{n}", "no") for n in range(4)), item("x", "no"), item("b0", "no", "b", intent="benign")],
    )
    found = influences(given, {"x": Possible(frozenset({"no"}), frozenset({"benign"}))})["x"]
    assert {(swing.rate.id, swing.population, swing.at_most): swing.size for swing in found.swings} == pytest.approx(
        {("hc", "", True): 0.2, ("br", "", True): 0.04}
    )
    assert found.swings[0].rate.id == "hc", "the largest first"


def test_with_several_models_each_has_a_rate_of_its_own() -> None:
    """Four items of one model and six of another: the rate that moves is the model's."""
    cells = [cell(4), replace(cell(6), model="other")]
    given = evidence(cells, [item("a", "no"), item("b", None), replace(item("c", "no"), model="other")])
    # 4 of its 4 items are in the stratum; one is settled, and this one: 1 / 2.
    assert influences(given, {"b": EITHER})["b"].size == pytest.approx(1 / 2)


def test_items_that_nobody_labelled_are_left_out() -> None:
    assert influences(TWO_STRATA, {"elsewhere": EITHER}) == {}
