"""Drawing and extending a sample on a real store."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.errors import UsageError
from adjudicate.storage.connection import writing
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from tests.factory import AT, Answer, make_store

HARMFUL = [Answer("full_compliance", "harmful")] * 10 + [Answer("full_refusal", "harmful")] * 60
BENIGN = [Answer("full_refusal", "benign")] * 8 + [Answer("full_compliance", "benign")] * 40 + [Answer(None, "benign")] * 2


def test_strata_are_population_by_how_the_verdict_counts(tmp_path: Path) -> None:
    report = draw_sample(make_store(tmp_path, HARMFUL + BENIGN), DrawSettings(n=40, seed=1), at=AT)
    assert {stratum.name: stratum.size for stratum in report.draw.strata} == {
        "benign | clear": 40,
        "benign | flagged": 8,
        "benign | judge failed": 2,
        "harmful | clear": 60,
        "harmful | flagged": 10,
    }
    assert sum(stratum.drawn for stratum in report.draw.strata) == 40


def test_inclusion_probabilities_are_recorded_with_the_draw(tmp_path: Path) -> None:
    store = make_store(tmp_path, HARMFUL)
    report = draw_sample(store, DrawSettings(n=20, seed=1), at=AT)
    recorded = dict(
        store.database.connection.execute(
            "SELECT u.stratum, p.inclusion_probability FROM picks p JOIN draw_units u USING (item_id) GROUP BY 1"
        )
    )
    assert recorded == {stratum.name: stratum.drawn / stratum.size for stratum in report.draw.strata}


def test_an_extension_by_another_allocation_draws_the_number_asked_for(tmp_path: Path) -> None:
    """Equal shares want 4 small strata whole and less of the large one than it has: nothing may come on top."""
    small = [Answer("full_compliance", "harmful")] * 10 + [Answer("full_refusal", "benign")] * 8
    store = make_store(tmp_path, small + [Answer("full_refusal", "harmful")] * 400 + [Answer("full_compliance", "benign")] * 40)
    draw_sample(store, DrawSettings(n=200, allocation="proportional", seed=1), at=AT)
    longer = draw_sample(store, DrawSettings(n=206, allocation="equal"), at=AT)
    assert (longer.added, sum(stratum.drawn for stratum in longer.draw.strata)) == (6, 206)


def test_the_same_seed_draws_the_same_items(tmp_path: Path) -> None:
    picks = []
    for name in ("one", "two"):
        store = make_store(tmp_path / name, HARMFUL)
        draw_sample(store, DrawSettings(n=20, seed=5), at=AT)
        picks.append([row[0] for row in store.database.connection.execute("SELECT item_id FROM picks ORDER BY position")])
    assert picks[0] == picks[1]


def test_an_extension_keeps_every_item_and_the_order_of_the_queues(tmp_path: Path) -> None:
    store = make_store(tmp_path, HARMFUL)
    first = draw_sample(store, DrawSettings(n=20, seed=5), at=AT)
    before = [row[0] for row in store.database.connection.execute("SELECT item_id FROM picks ORDER BY position")]
    longer = draw_sample(store, DrawSettings(n=50), at=AT)
    after = [row[0] for row in store.database.connection.execute("SELECT item_id FROM picks ORDER BY position")]
    assert after[:20] == before
    assert len(after) == 50
    assert longer.draw.extends == first.draw.id
    for stratum in longer.draw.strata:
        queue = store.queue(first.draw.id, stratum.name)
        assert set(queue[: stratum.drawn]) <= set(after)
        assert not set(queue[stratum.drawn :]) & set(after)


def test_asking_again_for_no_more_changes_nothing_and_says_so(tmp_path: Path) -> None:
    store = make_store(tmp_path, HARMFUL)
    draw_sample(store, DrawSettings(n=20, seed=5), at=AT)
    with pytest.raises(UsageError, match="20 items are already drawn"):
        draw_sample(store, DrawSettings(n=20), at=AT)
    assert len(store.draws()) == 1


@pytest.mark.parametrize(
    "changed", [{"by": ("population",)}, {"seed": 6}, {"judge": "other"}, {"blind_share": 0.5}], ids=lambda each: next(iter(each))
)
def test_the_design_cannot_change_after_the_draw(tmp_path: Path, changed: dict[str, object]) -> None:
    store = make_store(tmp_path, HARMFUL)
    draw_sample(store, DrawSettings(n=20, seed=5), at=AT)
    with pytest.raises(UsageError, match=r"fixed|cannot change"):
        draw_sample(store, DrawSettings(n=30, **changed), at=AT)  # type: ignore[arg-type]


def test_items_imported_after_the_draw_stay_outside_until_drawn_anew(tmp_path: Path) -> None:
    store = make_store(tmp_path, HARMFUL)
    draw_sample(store, DrawSettings(n=20, seed=5), at=AT)
    with writing(store.database) as connection:
        connection.execute(
            "INSERT INTO items SELECT 'late', prompt_id, run_id, model, 'late', 999, response, '' FROM items LIMIT 1"
        )
    longer = draw_sample(store, DrawSettings(n=70), at=AT)
    assert longer.outside == 1
    assert "late" not in {row[0] for row in store.database.connection.execute("SELECT item_id FROM picks")}
    anew = draw_sample(store, DrawSettings(n=1, new=True), at=AT)
    assert (anew.added, anew.outside) == (1, 0)
    assert anew.draw.extends is None


def test_named_annotators_get_lists_and_unnamed_ones_an_open_sample(tmp_path: Path) -> None:
    store = make_store(tmp_path, HARMFUL)
    report = draw_sample(store, DrawSettings(n=20, seed=5, annotators=("ann", "bo"), overlap=2), at=AT)
    assert report.assignments == 40
    assert [store.progress(person.id) for person in store.annotators()] == [(0, 20), (0, 20)]


def test_a_population_name_with_quotes_and_pipes_is_only_a_name(tmp_path: Path) -> None:
    store = make_store(tmp_path, HARMFUL)
    with writing(store.database) as connection:
        connection.execute("""UPDATE prompts SET population = 'a"b | c''d'""")
    report = draw_sample(store, DrawSettings(n=10, seed=5), at=AT)
    assert report.added == 10


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (DrawSettings(n=0), "at least one"),
        (DrawSettings(n=5, by=("colour",)), "strata are made of"),
        (DrawSettings(n=5, judge="nobody"), "no such judge"),
        (DrawSettings(n=5, annotators=("ann",), overlap=2), "only 1 annotators"),
    ],
)
def test_a_design_that_cannot_be_is_refused_and_nothing_is_recorded(tmp_path: Path, settings: DrawSettings, message: str) -> None:
    store = make_store(tmp_path, HARMFUL)
    with pytest.raises(UsageError, match=message):
        draw_sample(store, settings, at=AT)
    assert store.draws() == []
    assert store.annotators() == []


def test_an_empty_workspace_has_nothing_to_draw_from(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="import items first"):
        draw_sample(make_store(tmp_path, []), DrawSettings(n=5), at=AT)


def test_an_extension_keeps_the_allocation_and_the_repeats_that_were_asked_for(tmp_path: Path) -> None:
    store = make_store(tmp_path, HARMFUL + BENIGN)
    draw_sample(store, DrawSettings(n=20, seed=5, allocation="equal", annotators=("ann",), repeats=0.2), at=AT)
    longer = draw_sample(store, DrawSettings(n=40), at=AT)
    assert longer.draw.settings["allocation"] == "equal"
    assert longer.draw.settings["repeats"] == 0.2
    assert longer.draw.settings["annotators"] == ["ann"]
