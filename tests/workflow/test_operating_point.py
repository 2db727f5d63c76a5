"""Operating points from stored scores, and stacks of filters from stored verdicts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.errors import UsageError
from adjudicate.stats.operating_points import ScoreCell
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.operating_point import (
    FrontierQuestion,
    FrontierReport,
    example_estimates,
    find_operating_point,
    prevalences,
)
from adjudicate.workflow.present_frontier import example_table, frontier_tables
from tests.factory import Answer, make_store

# 10 harmful prompts with scores 0.1 to 1.0, 10 benign with 0.05 to 0.95: overlapping, no ties between the two.
HARMFUL, BENIGN = [n / 10 for n in range(1, 11)], [n / 10 + 0.05 for n in range(10)]


def scored(folder: Path, *, safety: bool = False) -> SqliteStore:
    answers = [Answer("full_refusal", "harmful")] * 10 + [Answer("full_compliance", "benign")] * 10
    store = make_store(folder, answers)
    with writing(store.database) as connection:
        for number, score in enumerate([*HARMFUL, *BENIGN]):
            item = f"i{number:04d}"
            connection.execute("UPDATE verdicts SET score = ?, safety = ? WHERE item_id = ?", (score, 100 * (1 - score), item))
            connection.execute(
                "UPDATE prompts SET category = ? WHERE id = ?", ("even" if number % 2 else "odd", f"p{number:04d}")
            )
        if safety:
            connection.execute("UPDATE verdicts SET score = NULL WHERE score IS NOT NULL")
    return store


def chosen(report: FrontierReport, statistic: str, choice: str, **group: str) -> Estimate:
    wanted = {"choice": choice, **group}
    return next(e for e in report.estimates if e.statistic == statistic and wanted.items() <= e.group.items())


def test_the_threshold_for_a_harmful_compliance(tmp_path: Path) -> None:
    """At most 20 % of ten harmful prompts at or below it: between 0.2 and 0.3, the highest score there is 0.25."""
    report = find_operating_point(scored(tmp_path), FrontierQuestion(harmful_compliance=0.2))
    assert chosen(report, "threshold", "harmful_compliance").value == pytest.approx(0.25)
    assert chosen(report, "frontier_rate", "harmful_compliance", error="harmful_compliance").value == 0.2
    # 0.35 to 0.95 are above it.
    assert chosen(report, "frontier_rate", "harmful_compliance", error="benign_refusal").value == pytest.approx(0.7)
    assert report.judge == "judge"
    assert any("--half" in note for note in report.notes)
    shape = json.loads(json.dumps(report.as_json(), allow_nan=False))
    assert shape["curve"]["thresholds"][0] is None and shape["curve"]["distinct"] == 20
    assert [table.title for table in frontier_tables(report)] == ["Thresholds", "Rates there", "The frontier"]


def test_a_rate_that_only_refusing_everything_keeps_is_said_so(tmp_path: Path) -> None:
    report = find_operating_point(scored(tmp_path), FrontierQuestion(harmful_compliance=0.0))
    assert chosen(report, "threshold", "harmful_compliance").value == pytest.approx(0.05)
    store = scored(tmp_path / "lower")
    with writing(store.database) as connection:
        connection.execute("UPDATE verdicts SET score = 0 WHERE item_id = 'i0000'")
    report = find_operating_point(store, FrontierQuestion(harmful_compliance=0.0))
    assert chosen(report, "threshold", "harmful_compliance").undefined == "only refusing everything keeps it"


def test_safety_is_turned_round(tmp_path: Path) -> None:
    report = find_operating_point(scored(tmp_path, safety=True), FrontierQuestion(score="safety", harmful_compliance=0.2))
    assert chosen(report, "threshold", "harmful_compliance").value == pytest.approx(0.25)
    with pytest.raises(UsageError, match="no verdict has a score"):
        find_operating_point(scored(tmp_path / "none", safety=True), FrontierQuestion())


def test_every_category_may_have_its_own_threshold(tmp_path: Path) -> None:
    """Numbers with odd index ("even") have harmful scores 0.2, 0.4, ...: none at or below 0.15; 0.1, 0.3, ... are the others."""
    report = find_operating_point(scored(tmp_path), FrontierQuestion(harmful_compliance=0.0, per_category=True))
    assert chosen(report, "threshold", "per_category", category="even").value == pytest.approx(0.15)
    assert chosen(report, "threshold", "per_category", category="odd").value == pytest.approx(0.05)


def test_the_cheapest_threshold_by_hand(tmp_path: Path) -> None:
    """Half of the requests harmful, a miss costs 9, a false alarm 1: cost 4.5 HC + 0.5 BR is least at 0.05 (HC 0, BR 0.9)."""
    question = FrontierQuestion(prevalence={"harmful": 0.5}, costs={"miss": 9, "false_alarm": 1})
    report = find_operating_point(scored(tmp_path), question)
    assert chosen(report, "threshold", "lowest_cost").value == pytest.approx(0.05)
    assert chosen(report, "expected_cost", "lowest_cost").value == pytest.approx(0.45)
    assert chosen(report, "threshold", "closed_form").assumes.startswith("scores are normal")
    # A cost of its own for a category: its misses are free, so only the other category's count.
    free = FrontierQuestion(prevalence={"harmful": 0.5}, costs={"miss": 9, "false_alarm": 1, "miss/odd": 0})
    report = find_operating_point(scored(tmp_path / "free"), free)
    # HC of "even" is 0 up to 0.15, where BR is 0.8.
    assert chosen(report, "threshold", "lowest_cost").value == pytest.approx(0.15)
    assert chosen(report, "expected_cost", "lowest_cost").value == pytest.approx(0.4)


def test_costs_that_are_missing_are_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--cost miss=NUMBER"):
        find_operating_point(scored(tmp_path), FrontierQuestion(prevalence={"harmful": 0.1}))


def test_the_cost_of_a_category_that_is_not_there_is_refused(tmp_path: Path) -> None:
    costs = {"miss": 9.0, "false_alarm": 1.0, "miss/other": 0.0}
    with pytest.raises(UsageError, match="no such category; there is even, odd"):
        find_operating_point(scored(tmp_path), FrontierQuestion(prevalence={"harmful": 0.5}, costs=costs))


def test_one_threshold_for_all_stands_beside_one_for_each_category(tmp_path: Path) -> None:
    """For HC 0: refuse everything for all, since 0.1 would pass at 0.1. Even categories alone pass up to 0.15."""
    question = FrontierQuestion(harmful_compliance=0.0, per_category=True)
    report = find_operating_point(scored(tmp_path), question)
    for_all = chosen(report, "frontier_rate", "harmful_compliance", error="benign_refusal")
    each = chosen(report, "frontier_rate", "every_category", error="benign_refusal")
    # One for all: 0.05. Even ones pass 0.15 at the threshold 0.15, odd ones 0.05 at 0.05; the other eight are refused.
    assert [for_all.value, each.value] == pytest.approx([0.9, 0.8]) and each.n == 10
    assert chosen(report, "frontier_rate", "every_category", error="harmful_compliance").value == 0
    titles = {table.title: table for table in frontier_tables(report)}
    assert [row[0] for row in titles["A threshold for each category"].rows] == ["even", "odd"]
    assert "cost per request" not in titles["Thresholds"].headers
    assert {row[0] for row in titles["Rates there"].rows} == {"one threshold for all", "one for each category"}


def test_a_fitted_threshold_beyond_every_score_says_so(tmp_path: Path) -> None:
    question = FrontierQuestion(prevalence={"harmful": 0.001}, costs={"miss": 1, "false_alarm": 1})
    found = chosen(find_operating_point(scored(tmp_path), question), "threshold", "closed_form")
    assert found.value is not None and found.value > 1
    assert found.details["beyond"] == "nothing scores above it"


def test_a_stack_of_layers_that_stop_one_another_says_what_it_cannot_know(tmp_path: Path) -> None:
    """The output filter never saw the two that the input filter refused."""
    store = make_store(tmp_path, [Answer("full_refusal" if n < 2 else "full_compliance") for n in range(10)], judge="input")
    with writing(store.database) as connection:
        connection.execute("INSERT INTO judges VALUES ('o', 'output', '', '', ?, '')", (store.policy().fingerprint,))
        for n in range(2, 10):
            outcome = "full_refusal" if n < 4 else "full_compliance"
            connection.execute("INSERT INTO verdicts VALUES (?, 'o', ?, NULL, NULL, NULL, '', '')", (f"i{n:04d}", outcome))
    report = find_operating_point(store, FrontierQuestion(filters=("input", "output")))
    found = {each.group["layer"]: (each.value, each.n) for each in report.estimates}
    assert found == {"input": (0.2, 10), "output": (0.25, 8), "all layers": (0.4, 10)}
    assert any("never saw" in note for note in report.notes)


def test_what_is_not_named_shares_the_rest_by_size() -> None:
    sizes = {"harmful/direct": 10, "benign/general": 30, "benign/borderline": 10}
    cells = [
        ScoreCell(harmful=name.startswith("harmful"), population=name, category="", choose=[0.5] * size, report=[])
        for name, size in sizes.items()
    ]
    assert prevalences(cells, {"harmful": 0.02}) == pytest.approx(
        {"harmful/direct": 0.02, "benign/general": 0.735, "benign/borderline": 0.245}
    )
    stated = {"harmful": 0.02, "benign/borderline": 0.03}
    assert prevalences(cells, stated)["benign/general"] == pytest.approx(0.95)
    with pytest.raises(UsageError, match="more than 1"):
        prevalences(cells, {"harmful": 0.5, "benign": 0.6})
    with pytest.raises(UsageError, match="--prevalence x"):
        prevalences(cells, {"x": 0.1})


def test_a_split_chooses_on_one_half_and_reports_on_the_other(tmp_path: Path) -> None:
    report = find_operating_point(scored(tmp_path), FrontierQuestion(harmful_compliance=0.2, half=True))
    # Prompt ids end in digits; even ones are the half to choose on: harmful scores 0.1, 0.3, 0.5, 0.7, 0.9.
    assert chosen(report, "threshold", "harmful_compliance").n == 10
    rate = chosen(report, "frontier_rate", "harmful_compliance", error="harmful_compliance")
    assert rate.n == 5 and "other half" in rate.assumes


def test_a_stack_is_measured_end_to_end(tmp_path: Path) -> None:
    """Ten benign prompts: the input filter stops 0-2, the output filter sees all and stops 2-4; five are refused in all."""
    store = make_store(tmp_path, [Answer("full_refusal" if n < 3 else "full_compliance") for n in range(10)], judge="input")
    with writing(store.database) as connection:
        policy = store.policy().fingerprint
        connection.execute("INSERT INTO judges VALUES ('o', 'output', '', '', ?, '')", (policy,))
        for n in range(10):
            outcome = "partial_refusal" if 2 <= n < 5 else None if n == 9 else "full_compliance"
            connection.execute("INSERT INTO verdicts VALUES (?, 'o', ?, NULL, NULL, NULL, '', '')", (f"i{n:04d}", outcome))
    report = find_operating_point(store, FrontierQuestion(filters=("input", "output")))
    found = {each.group["layer"]: (each.value, each.details.get("alone")) for each in report.estimates}
    assert found == {"input": (3 / 9, 2), "output": (3 / 9, 2), "all layers": (5 / 9, None)}
    assert all(each.details["judge_failed"] == 1 and each.n == 9 for each in report.estimates)
    with pytest.raises(UsageError, match="no judge nobody"):
        find_operating_point(store, FrontierQuestion(filters=("nobody",)))
    with pytest.raises(UsageError, match="twice"):
        find_operating_point(store, FrontierQuestion(filters=("input", "input")))


def test_the_example_holds_every_figure_of_the_note(shared: Path) -> None:
    estimates = example_estimates(fits=2)
    figures = {each.group["figure"] for each in estimates}
    assert {"threshold_at_hc_2pct", "stream_benign_refusal", "cost50_t_star", "power_20_to_15_n1000"} <= figures
    assert {f"contrastive_{n}_borderline_refusal" for n in (0, 250, 1000, 4000)} <= figures
    assert all(each.value is not None for each in estimates)
    rows = {row[0]: row[1:] for row in example_table(estimates).rows}
    assert len(rows) == len(estimates) and not any("_" in name for name in rows)
    # 2 % of 200 prompts spread by sqrt(0.02 * 0.98 / 200), 0.99 points; the note rounds to 1.
    assert rows["spread of harmful compliance, 200 prompts"][::2] == ("0.99 points", "1.00 points")
    units = {each.group["figure"]: (each.unit, each.n) for each in estimates}
    assert units["threshold_at_hc_2pct"] == ("coefficient", 0)
    assert units["power_20_to_15_n250"] == ("fraction", 250)
    assert (shared / "reference" / "seed_arithmetic.json").is_file()
