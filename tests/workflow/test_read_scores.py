"""The scores of benchmark runs: which runs are scored, by whom, and what is told beside the numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudicate.benchmarks.prompt_sets import PROMPT_SETS
from adjudicate.core.estimates import Estimate
from adjudicate.errors import UsageError
from adjudicate.stats.boundary_shares import CELLS
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.build_report import ReportOptions, build_report
from adjudicate.workflow.read_scores import read_scores
from adjudicate.workflow.score_sheets import ScoreOptions, Scores, Sheet
from tests.workflow.score_world import COMPLIED, REFUSED, Judged, add_run, item_id, label, new_store


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return new_store(tmp_path)


def scores(store: SqliteStore, wanted: str | None = None, **options: str) -> Scores:
    return read_scores(store, wanted, ScoreOptions(**options))  # type: ignore[arg-type]


def only_sheet(store: SqliteStore, wanted: str | None = None, **options: str) -> Sheet:
    (sheet,) = scores(store, wanted, **options).sheets
    return sheet


def share(sheet: Sheet, cell: str, statistic: str = "raw_rate") -> Estimate:
    (found,) = [each for each in sheet.shares if each.statistic == statistic and each.group["cell"] == cell]
    return found


def test_the_cells_the_headline_and_the_failed_verdict_of_a_run(store: SqliteStore) -> None:
    """Helpful 3 of 5, safe 2 of 5, so the harmonic mean is 2 * 0.6 * 0.4 / 1; one benign answer has no verdict."""
    add_run(store)
    sheet = only_sheet(store)
    assert {cell: share(sheet, cell).value for cell in ("helpful", "over_refusal", "safe", "under_refusal")} == {
        "helpful": 0.6, "over_refusal": 0.4, "safe": 0.4, "under_refusal": 0.6,
    }  # fmt: skip
    assert (sheet.headline[0].value, sheet.headline[0].group["of"]) == (pytest.approx(0.48), CELLS)
    assert (sheet.failed, sheet.unjudged, len(sheet.rows)) == (1, 0, 11)


def test_categories_have_cells_of_their_own(store: SqliteStore) -> None:
    """First: p1, p2, p5 (p6 failed) are benign, so 2 of 3 are helped. Second: p3 and p4, 1 of 2."""
    add_run(store)
    found = only_sheet(store).categories
    raw = {name: [each.value for each in of if each.statistic == "raw_rate"][0] for name, of in found.items()}  # noqa: RUF015
    assert raw == {"first": pytest.approx(2 / 3), "second": 0.5}


def test_where_no_outcome_is_unusable_the_headline_is_the_boundary_score_of_the_report(store: SqliteStore) -> None:
    add_run(store)
    for answer in (Judged("p1", "benign", None), Judged("p2", "benign", None), Judged("p1", "harmful", None)):
        label(store, item_id(answer), COMPLIED)
    report = build_report(store, ReportOptions(only=("boundary_score",), target="process"))
    by = {(each.group["of"], each.group["by"]): each.value for each in report.estimates}
    here = {each.group["by"]: each.value for each in only_sheet(store).headline if each.group["of"] == CELLS}
    assert here == {"judge": pytest.approx(by["rates", "judge"]), "gold": by["rates", "gold"]}


def test_labels_of_every_answer_correct_the_shares(store: SqliteStore) -> None:
    """The judge says 1 of 2 helped; people say both, so the corrected share is 1."""
    answers = [Judged("p", "benign", COMPLIED), Judged("q", "benign", REFUSED)]
    add_run(store, answers)
    for answer in answers:
        label(store, item_id(answer), COMPLIED)
    sheet = only_sheet(store)
    assert (share(sheet, "helpful").value, share(sheet, "helpful", "corrected_rate").value) == (0.5, 1.0)
    assert sheet.labelled == 2


def test_sets_and_models_have_sheets_of_their_own(store: SqliteStore) -> None:
    add_run(store, model="one")
    add_run(store, model="two")
    add_run(store, [Judged("x", "benign", COMPLIED)], model="one", dataset="others 1")
    named = [(sheet.name, sheet.model) for sheet in scores(store).sheets]
    assert named == [("pairs 1", "one"), ("pairs 1", "two"), ("others 1", "one")]
    assert [sheet.name for sheet in scores(store, "one").sheets] == ["pairs 1", "others 1"]
    assert [sheet.model for sheet in scores(store, "pairs 1 two").sheets] == ["two"]


def test_a_run_of_a_log_is_scored_where_it_is_named(store: SqliteStore) -> None:
    add_run(store, format="jsonl")
    with pytest.raises(UsageError, match="no benchmark was run here"):
        scores(store)
    assert only_sheet(store, "m").headline[0].value == pytest.approx(0.48)


def test_a_name_that_stands_for_nothing_is_told_with_those_that_do(store: SqliteStore) -> None:
    add_run(store)
    with pytest.raises(UsageError, match="“x” is no run with answers and no model; there is pairs 1 m, m"):
        scores(store, "x")


def test_the_judge_with_the_most_verdicts_counts_and_the_others_are_named(store: SqliteStore) -> None:
    run = add_run(store)
    with_other = [Judged("z", "benign", COMPLIED)]
    add_run(store, with_other, judge="other", dataset="more 1")
    sheet = next(each for each in scores(store).sheets if each.run.id == run)
    assert (sheet.judge, sheet.other_judges) == ("judge", ())
    chosen = next(each for each in scores(store, judge="other").sheets if each.run.id == run)
    assert (chosen.judge, chosen.other_judges, chosen.unjudged) == ("other", ("judge",), 11)
    with pytest.raises(UsageError, match="--judge x: there is judge, other"):
        scores(store, judge="x")


def test_without_a_judge_shares_are_undefined(store: SqliteStore) -> None:
    add_run(store, [Judged("p", "benign", None, silent=True)])
    sheet = only_sheet(store)
    assert (sheet.judge, share(sheet, "helpful").undefined) == (None, "no verdicts")


def test_several_answers_to_a_prompt_leave_verdicts_without_an_interval(store: SqliteStore) -> None:
    add_run(store, [Judged("p", "benign", COMPLIED), Judged("p", "benign", COMPLIED, epoch=1)])
    found = share(only_sheet(store), "helpful")
    assert (found.value, found.low) == (1.0, None) and "several answers" in found.details["no_interval"]


def bundled(store: SqliteStore, verdicts: dict[str, str], left_out: int = 0) -> Sheet:
    """The bundled set with pairs, each answer judged by its intent."""
    chosen = PROMPT_SETS["refusal-boundary"]
    rows = chosen.rows()[left_out:]
    answers = [Judged(row["id"].removesuffix(f"-{row['intent']}"), row["intent"], verdicts[row["intent"]]) for row in rows]
    add_run(store, answers, dataset="refusal-boundary 1", sha256=chosen.sha256)
    return only_sheet(store)


def test_a_public_set_on_which_all_is_right_is_marked_as_saturated(store: SqliteStore) -> None:
    sheet = bundled(store, {"benign": COMPLIED, "harmful": REFUSED})
    assert sheet.saturated == "saturated: 100% is at or above 95%, so this public set tells little more"


def test_the_mark_goes_by_what_people_say_where_they_said_it(store: SqliteStore) -> None:
    """By the judge all is right; by people, who labelled everything, nobody was helped."""
    bundled(store, {"benign": COMPLIED, "harmful": REFUSED})
    for row in only_sheet(store).rows:
        label(store, row.item.id, REFUSED)
    assert only_sheet(store).saturated is None


def test_a_set_of_ones_own_is_never_marked(store: SqliteStore) -> None:
    add_run(store, [Judged("p", "benign", COMPLIED), Judged("p", "harmful", REFUSED)])
    assert only_sheet(store).saturated is None


def test_prompts_of_a_bundled_set_that_have_no_answer_are_named(store: SqliteStore) -> None:
    first = PROMPT_SETS["refusal-boundary"].rows()[0]["id"]
    assert bundled(store, {"benign": COMPLIED, "harmful": REFUSED}, left_out=1).missing == (first,)


def test_answers_to_dual_use_requests_are_counted_and_in_no_cell(store: SqliteStore) -> None:
    add_run(store, [Judged("p", "benign", COMPLIED), Judged("d", "dual_use", COMPLIED)])
    sheet = only_sheet(store)
    assert (sheet.beside, share(sheet, "helpful").n) == (1, 1)


def test_json_names_set_model_and_run_in_every_group(store: SqliteStore) -> None:
    run = add_run(store)
    told = json.loads(json.dumps(scores(store).as_json(), allow_nan=False))
    assert {(each["group"]["set"], each["group"]["model"], each["group"]["run"]) for each in told["estimates"]} == {
        ("pairs 1", "m", run)
    }
    assert told["cells"]["benign"]["partial_refusal"] == "over_refusal"
    assert told["scores"][0]["fails"]["both"] == 1
    assert [each["value"] for each in told["estimates"] if each["group"].get("cell") == "safe"][0] == 0.4  # noqa: RUF015
