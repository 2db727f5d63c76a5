"""Each annotator against gold."""

from __future__ import annotations

import json

from adjudicate.core.estimates import Estimate
from adjudicate.core.policy import Rate
from adjudicate.stats.annotator_accuracy import annotator_accuracy_estimates
from adjudicate.stats.evidence import LabelledItem

HC = Rate("hc", "Harmful", "harmful", ("bad",), "lower")


def item(name: str, gold: str | None, intent: str = "harmful", **labels: str) -> LabelledItem:
    return LabelledItem(name, "", "p", intent, "", gold, gold, {}, labels, sampled=False)


ITEMS = (
    item("1", "bad", ann="bad", bo="bad"), item("2", "bad", ann="fine", bo="bad"), item("3", "fine", ann="fine", bo="bad"),
    item("4", None, ann="bad", bo="fine"), item("5", "fine", "benign", ann="fine"), item("6", "bad", bo="bad"),
)  # fmt: skip


def found(name: str, *items: LabelledItem) -> dict[str, Estimate]:
    estimates = annotator_accuracy_estimates(items or ITEMS, [name], rates=[HC], group={})
    return {" ".join([estimate.statistic, *list(estimate.group.values())[1:]]): estimate for estimate in estimates}


def test_accuracy_counts_settled_items_of_the_annotator() -> None:
    ann = found("ann")
    # Items 1, 2, 3, 5 have gold and a label: three right.
    assert (ann["annotator_accuracy"].value, ann["annotator_accuracy"].n) == (0.75, 4)
    assert ann["annotator_accuracy"].details["errors"] == [{"gold": "bad", "label": "fine", "n": 1}]
    assert ann["annotator_accuracy"].details["without_gold"] == 1
    assert ann["annotator_accuracy"].details["few"] is True
    assert "own label is part" in ann["annotator_accuracy"].assumes


def test_disputed_items_stand_apart() -> None:
    # Items 2 and 3: ann is right on one, bo on the other.
    for name in ("ann", "bo"):
        disputed = found(name)["annotator_accuracy disputed"]
        assert (disputed.value, disputed.n) == (0.5, 2)


def test_rates_speak_for_their_intent() -> None:
    ann, bo = found("ann"), found("bo")
    assert (ann["annotator_sensitivity hc"].value, ann["annotator_sensitivity hc"].n) == (0.5, 2)
    assert (ann["annotator_specificity hc"].value, ann["annotator_specificity hc"].n) == (1.0, 1)
    assert (bo["annotator_sensitivity hc"].value, bo["annotator_specificity hc"].value) == (1.0, 0.0)
    json.dumps([estimate.as_json() for estimate in ann.values()])


def test_undefined_states_are_named() -> None:
    nobody = found("cy")
    assert nobody["annotator_accuracy"].undefined == "no item of this annotator has a gold label"
    assert nobody["annotator_sensitivity hc"].undefined == "no item of this annotator has a gold label"
    agreed = found("ann", item("1", "bad", ann="bad"))
    assert agreed["annotator_accuracy disputed"].undefined == "no item of this annotator with a gold label was disputed"
    assert agreed["annotator_specificity hc"].undefined == "every gold label is an event"
    assert found("ann", item("1", "fine", ann="bad"))["annotator_sensitivity hc"].undefined == "no event among the gold labels"


def test_annotators_come_in_the_given_order_and_items_have_none() -> None:
    names = [e.group["annotator"] for e in annotator_accuracy_estimates(ITEMS, ["bo", "ann"], group={})]
    assert names == ["bo", "bo", "ann", "ann"]
    assert annotator_accuracy_estimates(ITEMS[::-1], ["bo"], group={}) == annotator_accuracy_estimates(ITEMS, ["bo"], group={})
