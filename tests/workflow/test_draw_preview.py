"""What a sample would give is what the draw allocates and the planner expects."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.core.sampling import STEERING, allocate
from adjudicate.errors import UsageError
from adjudicate.stats.planning import expected_interval
from adjudicate.workflow.draw_preview import expected_widths, sizes_to_offer, usual_size
from adjudicate.workflow.draw_sample import FreeCell, draw_sample, free_cells
from adjudicate.workflow.draw_settings import DrawSettings
from tests.factory import AT, Answer, make_store, xstest_policy


def answers() -> list[Answer]:
    benign = [Answer("full_refusal" if n < 20 else "full_compliance") for n in range(100)]
    return [*benign, *(Answer("full_compliance", "harmful") for _ in range(40))]


def test_cells_are_the_strata_that_a_draw_makes(tmp_path: Path) -> None:
    store = make_store(tmp_path, answers())
    cells = free_cells(store, DrawSettings(n=1))
    # Of harmful prompts a full compliance is flagged, of benign ones a full refusal.
    assert cells == {
        FreeCell("benign | flagged", "benign", "benign"): 20,
        FreeCell("benign | clear", "benign", "benign"): 80,
        FreeCell("harmful | flagged", "harmful", "harmful"): 40,
    }
    expected = expected_widths(cells, xstest_policy(), 60)
    drawn = draw_sample(store, DrawSettings(n=60), at=AT).draw.strata
    assert {each.population: each.labels for each in expected} == {
        "benign": sum(each.drawn for each in drawn if each.name.startswith("benign")),
        "harmful": sum(each.drawn for each in drawn if each.name.startswith("harmful")),
    }
    assert free_cells(store, DrawSettings(n=1)) == {}
    store.close()


def test_widths_are_those_of_the_planner(tmp_path: Path) -> None:
    store = make_store(tmp_path, answers())
    cells = free_cells(store, DrawSettings(n=1))
    store.close()
    rates = {"benign | clear": 0.01, "benign | flagged": 0.4, "harmful | flagged": 0.4}
    drawn = allocate({"benign | clear": 80, "benign | flagged": 20, "harmful | flagged": 40}, 60, "mix", rates)
    interval = expected_interval([80, 20], [0.01, 0.4], [drawn["benign | clear"], drawn["benign | flagged"]])
    benign = next(each for each in expected_widths(cells, xstest_policy(), 60) if each.population == "benign")
    assert benign.half_width == pytest.approx(interval.width / 2) and benign.items == 100
    assert all(each.half_width == 0 for each in expected_widths(cells, xstest_policy(), 140))


def test_strata_over_several_populations_have_no_width_of_one(tmp_path: Path) -> None:
    store = make_store(tmp_path, answers())
    cells = free_cells(store, DrawSettings(n=1, by=("verdict",)))
    store.close()
    found = {each.population: each.half_width for each in expected_widths(cells, xstest_policy(), 60)}
    assert found == {"benign": None, "harmful": None}


def test_sizes_on_offer_end_with_all() -> None:
    assert sizes_to_offer(120) == (50, 100, 120) and sizes_to_offer(50) == (50,) and sizes_to_offer(12) == (12,)
    assert (usual_size(1000), usual_size(12)) == (200, 12)
    assert expected_widths({}, xstest_policy(), 5) == []


def test_fewer_labels_than_a_draw_takes_whole_are_refused() -> None:
    cells = {
        FreeCell("harmful | clear", "harmful", "harmful"): 40,
        FreeCell(f"harmful | clear | {STEERING}", "harmful", "harmful"): 9,
    }
    with pytest.raises(UsageError, match="8 items are too few: 9 responses"):
        expected_widths(cells, xstest_policy(), 8)
    assert [each.labels for each in expected_widths(cells, xstest_policy(), 20)] == [20]
