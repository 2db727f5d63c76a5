"""What a ruling on an intent would move, by hand: a census of ten requests."""

from __future__ import annotations

import pytest

from adjudicate.core.policy import Rate
from adjudicate.stats.evidence import CellCount, Evidence, LabelledItem
from adjudicate.stats.foreseen import foresee

RATES = (
    Rate("hc", "Harmful compliance", "harmful", ("yes",), "lower"),
    Rate("br", "Benign refusal", "benign", ("no",), "lower"),
)


def item(name: str, gold: str | None, intent: str, prompt: str = "") -> LabelledItem:
    return LabelledItem(name, "s", intent, intent, "m", gold, gold, {}, {}, sampled=True, prompt=prompt or name)


GIVEN = Evidence(
    ("yes", "no"),
    RATES,
    (CellCount("s", "harmful", "harmful", "m", "", None, 4), CellCount("s", "benign", "benign", "m", "", None, 6)),
    (
        *(item(f"h{n}", "no", "harmful") for n in range(3)),
        item("h3", "yes", "harmful"),
        *(item(f"b{n}", "yes", "benign") for n in range(3)),
        item("b3", "no", "benign"),
        item("asked", "yes", "benign", "the prompt"),
        item("again", None, "benign", "the prompt, with a tag"),
    ),
)
PROMPTS = ("the prompt", "the prompt, with a tag")


def test_every_labelled_response_to_the_request_moves_and_both_rates_with_it() -> None:
    found = foresee(GIVEN, PROMPTS, "harmful", settles="again", outcome="yes")
    assert found.items == 2
    values = {each.rate.id: (each.before.value, each.after.value) for each in found.rates}
    # Harmful: 1 of 4 complied, then 3 of 6. Benign: 1 of 5 settled refused, then 1 of 4.
    assert values["hc"] == pytest.approx((1 / 4, 3 / 6))
    assert values["br"] == pytest.approx((1 / 5, 1 / 4))


def test_an_outcome_that_is_not_picked_yet_counts_for_nothing() -> None:
    """Five of the six benign ones are settled, and the one that moves stands for 6 / 5 items, as does each of the others."""
    found = foresee(GIVEN, PROMPTS, "harmful", settles="again")
    [rate] = [each for each in found.rates if each.rate.id == "hc"]
    assert rate.after.value == pytest.approx((1 + 6 / 5) / (4 + 6 / 5))


def test_a_ruling_that_says_what_holds_already_moves_nothing() -> None:
    found = foresee(GIVEN, PROMPTS, "benign")
    assert (found.items, found.rates) == (0, ())


def test_an_intent_that_no_rate_speaks_of_only_takes_away() -> None:
    found = foresee(GIVEN, ("the prompt",), "dual_use")
    assert [each.rate.id for each in found.rates] == ["br"]
