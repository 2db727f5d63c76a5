"""What a report says of judges, as tables; the counts are derived by hand beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.core.labels import label
from adjudicate.core.present import FEW_NOTE, number
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.build_report import Report, ReportOptions, build_report
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.judge_tables import AT_LEAST
from adjudicate.workflow.present_report import SECTION_TABLES, table
from tests.factory import AT, Answer, make_store

YES, NO = "full_compliance", "full_refusal"


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    """Harmful items, 10 flagged and 40 cleared; 5 and 10 drawn and labelled, all as the judge says."""
    made = make_store(tmp_path, [Answer(YES, "harmful")] * 10 + [Answer(NO, "harmful")] * 40)
    draw_sample(made, DrawSettings(n=10, allocation="equal", annotators=("ann",), overlap=1, seed=5), at=AT)
    draw_sample(made, DrawSettings(n=15, allocation="proportional", seed=5), at=AT)
    who = made.annotator("ann").id
    for pick in made.pending(who, after=-1, limit=20):
        outcome = YES if int(pick.item_id[1:]) < 10 else NO
        act = label(made.policy(), item_id=pick.item_id, outcome=outcome, mode="blind")
        made.append(who, act, policy=made.policy().fingerprint, at=AT)
    return made


@pytest.fixture
def report(store: SqliteStore) -> Report:
    return build_report(store, ReportOptions(section="accuracy"))


def test_a_sensitivity_never_stands_without_what_may_have_slipped_through(report: Report) -> None:
    whole = [each for each in report.estimates if each.statistic == "judge_sensitivity" and "population" not in each.group]
    [omission] = [each for each in report.estimates if each.statistic == "false_omission_rate"]
    assert whole[0].value == 1
    # One population alone: the whole and the population are the same items.
    assert whole[0].details["sensitivity_implied"] == omission.details["sensitivity_implied"]
    shown = table("judge", report)
    places = [place for place, row in enumerate(shown.rows) if row[2] == "sensitivity"]
    assert places and all(shown.rows[place + 1][2] == AT_LEAST for place in places)
    assert shown.rows[places[0] + 1][3] == number(omission.details["sensitivity_implied"], "fraction") != "100.0 %"
    # On the labels of flagged and of cleared items: of all that the accuracy rests on.
    accuracy = next(each for each in report.estimates if each.statistic == "judge_accuracy" and "rate" in each.group)
    assert shown.rows[places[0] + 1][5] == str(accuracy.n) and omission.n < accuracy.n
    assert any(AT_LEAST in note for note in shown.notes)


def test_a_census_has_its_sensitivity_and_needs_no_guard(tmp_path: Path) -> None:
    made = make_store(tmp_path, [Answer(YES, "harmful")] * 3)
    for number_ in range(3):
        act = label(made.policy(), item_id=f"i{number_:04d}", outcome=YES, mode="blind")
        made.append(made.annotator("ann").id, act, policy=made.policy().fingerprint, at=AT)
    shown = table("judge", build_report(made, ReportOptions(section="accuracy")))
    assert AT_LEAST not in {row[2] for row in shown.rows}


def test_confusion_counts_stand_beside_the_items_they_stand_for(report: Report) -> None:
    drawn = {each.group["population"]: each for each in report.estimates if each.statistic == "false_omission_rate"}
    cleared = drawn["harmful"].n
    rows = {row[2]: row for row in table("confusion", report).rows}
    # Every flagged item that was drawn is an event and stands for its share of 10, every cleared one for its share of 40.
    assert rows["all"][3:8] == (f"{15 - cleared} (10.0)", "0", "0", f"{cleared} (40.0)", "0")
    assert rows["harmful"][3:] == rows["all"][3:]
    outcomes = [row[1:] for row in table("confusions", report).rows if row[1] == "all"]
    assert outcomes == [
        ("all", "Full compliance", "Full compliance", "", f"{15 - cleared} (10.0)"),
        ("all", "Full refusal", "Full refusal", "", f"{cleared} (40.0)"),
    ]


def test_counts_of_a_census_stand_alone_and_failures_are_named(tmp_path: Path) -> None:
    made = make_store(tmp_path, [Answer(YES, "harmful"), Answer(NO, "harmful"), Answer(None, "harmful")])
    for place in range(3):
        act = label(made.policy(), item_id=f"i{place:04d}", outcome=YES, mode="blind")
        made.append(made.annotator("ann").id, act, policy=made.policy().fingerprint, at=AT)
    found = build_report(made, ReportOptions(section="accuracy"))
    [row, _] = table("confusion", found).rows
    assert row[3:8] == ("1", "1", "0", "0", "1")
    assert [row[2:] for row in table("confusions", found).rows if row[1] == "all"] == [
        ("Full compliance", "Full compliance", "", "1"),
        ("Full compliance", "Full refusal", "differs", "1"),
        ("Full compliance", "judge failed", "differs", "1"),
    ]


def test_every_table_marks_what_rests_on_few_items_and_so_does_the_json(store: SqliteStore) -> None:
    report = build_report(store)
    shown = [table(section, report) for section in SECTION_TABLES if section != "errors"]
    rows = [(each, row, row[each.headers.index("n")]) for each in shown if "n" in each.headers for row in each.rows]
    on_few = [(each, row) for each, row, n in rows if n and int(n) < 20 and "undefined" not in row]
    assert len(on_few) > 10
    assert all(row[-1] == "few" and FEW_NOTE in each.notes for each, row in on_few)
    fractions = [each for each in report.as_json()["estimates"] if each["unit"] != "count"]
    assert all(each["details"]["few"] == (each["n"] < 20) for each in fractions)


def test_no_text_of_a_difference_is_in_percent(report: Report) -> None:
    for section, column in (("slices", "judge minus people"), ("judges", "accuracy difference")):
        shown = table(section, report)  # type: ignore[arg-type]  # names of tables
        for row in shown.rows:
            place = shown.headers.index(column)
            assert "%" not in row[place] + row[place + 1]
    assert table("slices", report).rows
