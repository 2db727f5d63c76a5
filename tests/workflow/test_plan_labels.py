"""Planning on a real store: from the frame before the first label, from the labels at hand later."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.errors import UsageError
from adjudicate.stats.label_plans import PowerSettings
from adjudicate.stats.planning import labels_for_half_width
from adjudicate.storage.connection import writing
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.plan_labels import PlanQuestion, plan_labels, plan_power
from adjudicate.workflow.present_plan import plan_tables, power_table
from tests.factory import AT, Answer, make_store
from tests.workflow.test_decide_release import confirm

HARMFUL = [Answer("full_compliance", "harmful")] * 93 + [Answer("full_refusal", "harmful")] * 1907


def one(estimates: tuple[Estimate, ...], statistic: str, rate: str = "harmful_compliance") -> Estimate:
    return next(each for each in estimates if each.statistic == statistic and each.group.get("rate", rate) == rate)


def test_before_a_draw_the_verdicts_make_the_strata(tmp_path: Path) -> None:
    """The frame of statistics note, section 2: 93 flagged, 1,907 clear; Wald claims 121 labels for 2 points."""
    found = plan_labels(make_store(tmp_path, HARMFUL), PlanQuestion(half_width=0.02)).estimates
    planned = one(found, "planned_labels")
    strata = planned.details["by_stratum"]
    assert {name: part["N"] for name, part in strata.items()} == {"harmful | clear": 1907, "harmful | flagged": 93}
    exact = labels_for_half_width([1907, 93], [0.01, 0.4], 0.02)
    assert planned.value == exact.labels
    assert planned.details["wald"] < planned.value
    assert planned.unit == "count" and planned.group == {"rate": "harmful_compliance", "population": "harmful"}
    assert not any(each.statistic == "more_labels" for each in found)


def test_wider_is_cheaper_and_conservative_dearer(tmp_path: Path) -> None:
    store = make_store(tmp_path, HARMFUL)

    def labels(**asked: object) -> float:
        value = one(plan_labels(store, PlanQuestion(**asked)).estimates, "planned_labels").value  # type: ignore[arg-type]
        assert value is not None
        return value

    assert labels(half_width=0.04) < labels(half_width=0.02) < labels(half_width=0.02, conservative=True)
    assert labels(half_width=0.02, guesses={"clear": 0.05}) > labels(half_width=0.02)


def test_from_the_labels_at_hand_it_says_how_many_more_and_where(tmp_path: Path) -> None:
    store = make_store(tmp_path, HARMFUL)
    draw_sample(store, DrawSettings(n=100, seed=1), at=AT)
    confirm(store, [row[0] for row in store.database.connection.execute("SELECT item_id FROM picks")])
    found = plan_labels(store, PlanQuestion(half_width=0.01, zero_below=0.02))
    more = one(found.estimates, "more_labels")
    assert more.n == 100 and more.value and more.details["reached"]
    assert sum(more.details["by_stratum"].values()) == more.value
    # The unflagged stratum is 95 % of the responses: its limit rules the width.
    assert more.details["next"].endswith("harmful | clear")
    zero = one(found.estimates, "zero_event_labels")
    assert (zero.value, zero.details["still"]) == (149, 149 - zero.n)
    limit = one(found.estimates, "zero_event_limit").value
    assert limit == pytest.approx(1 - 0.05 ** (1 / zero.n))
    assert [table.title.split(" ")[0] for table in plan_tables(found)] == ["Labels", "More", "To"]


def test_a_stratum_of_one_item_can_be_planned(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_refusal")] + [Answer("full_compliance")] * 40)
    assert one(plan_labels(store, PlanQuestion(half_width=0.05)).estimates, "planned_labels", "benign_refusal").value


def test_a_census_needs_no_more(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_refusal")] * 5)
    confirm(store, [f"i{n:04d}" for n in range(5)])
    assert one(plan_labels(store, PlanQuestion()).estimates, "more_labels", "benign_refusal").value == 0


@pytest.mark.parametrize("question", [
    PlanQuestion(half_width=0), PlanQuestion(half_width=2), PlanQuestion(zero_below=1), PlanQuestion(confidence=95),
    PlanQuestion(guesses={"clear": 0}), PlanQuestion(guesses={"cleer": 0.1}), PlanQuestion(confidence=0.99999),
    PlanQuestion(rate="none"), PlanQuestion(judge="none"), PlanQuestion(model="none"),
])  # fmt: skip
def test_a_question_out_of_range_is_refused(tmp_path: Path, question: PlanQuestion) -> None:
    with pytest.raises(UsageError):
        plan_labels(make_store(tmp_path, [Answer("full_refusal")]), question)


def test_a_guess_for_a_cell_that_is_not_here_is_told(tmp_path: Path) -> None:
    plan = plan_labels(make_store(tmp_path, HARMFUL), PlanQuestion(guesses={"judge failed": 0.3}))
    assert any("No stratum here is “judge failed”" in note for note in plan.notes)
    with pytest.raises(UsageError, match="--guess cleer: no stratum has this cell; there is clear, flagged, judge failed"):
        plan_labels(make_store(tmp_path / "two", HARMFUL), PlanQuestion(guesses={"cleer": 0.1}))


def test_power_answers_what_the_stated_numbers_allow() -> None:
    """Statistics note, section 6: 250 pairs at 5 % discordant find 3.9 points; a margin of 1 point needs 3,925 pairs."""
    found = plan_power(PowerSettings(discordant=0.05, n=250, margin=0.01))
    assert {each.statistic for each in found} == {"minimum_detectable_change", "noninferiority_sample_size"}
    assert one(found, "minimum_detectable_change").value == pytest.approx(0.039, abs=5e-4)
    assert one(found, "noninferiority_sample_size").value == 3925
    assert power_table(found).rows[0][1] == "3.9 points"
    with pytest.raises(UsageError, match="state --before"):
        plan_power(PowerSettings(n=100))
    with pytest.raises(UsageError, match="smaller than the change"):
        plan_power(PowerSettings(before=0.2, after=0.1, discordant=0.05))


def test_strata_of_two_draws_are_told_apart(tmp_path: Path) -> None:
    store = make_store(tmp_path, HARMFUL[80:120])
    alone = draw_sample(store, DrawSettings(n=10, seed=1), at=AT).draw.id
    assert not any(alone in cell for row in plan_tables(plan_labels(store, PlanQuestion()))[0].rows for cell in row)
    with writing(store.database) as connection:
        connection.execute("INSERT INTO items SELECT id || 'b', prompt_id, run_id, model, NULL, 0, response, '' FROM items")
    second = draw_sample(store, DrawSettings(n=10, seed=2, new=True), at=AT).draw.id
    where = plan_tables(plan_labels(store, PlanQuestion()))[0].rows[0][4]
    assert f"{alone}: clear" in where and f"{second}: no verdict" in where
