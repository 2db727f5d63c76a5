"""A judge that was asked again, from the store to the report: steadiness is told, and no rate moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.core.items import Verdict
from adjudicate.storage.connection import writing
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.build_report import Report, ReportOptions, build_report
from adjudicate.workflow.present_report import table
from tests.factory import Answer, make_store

YES, NO, PARTLY = "full_compliance", "full_refusal", "partial_refusal"


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    """Two benign items and a harmful one, each judged three times; of the benign ones the second never changes."""
    made = make_store(tmp_path, [Answer(YES), Answer(NO), Answer(NO, "harmful")])
    again = {"i0000": (YES, NO), "i0001": (NO, NO), "i0002": (PARTLY, None)}
    made.put_repeats(
        "judge",
        [(item, number, Verdict("judge", outcome)) for item, said in again.items() for number, outcome in enumerate(said, 1)],
    )
    return made


def found(report: Report, statistic: str, **group: str) -> Estimate:
    (estimate,) = [each for each in report.estimates if each.statistic == statistic and each.group == {"judge": "judge", **group}]
    return estimate


def test_the_report_says_how_far_a_judge_agrees_with_itself(store: SqliteStore) -> None:
    report = build_report(store, ReportOptions(section="accuracy"))
    # Agreeing pairs: 1 of 3 (yes, yes, no); 3 of 3; 0 of 1 (no, partly; the failure is left out).
    whole = found(report, "judge_self_consistency")
    assert whole.value == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert (whole.n, whole.details["judge_failed"], whole.details["items_by_repeats"]) == (3, 1, {"2": 1, "3": 2})
    assert found(report, "judge_self_consistency", population="benign").value == pytest.approx((1 / 3 + 1) / 2)
    assert found(report, "judge_unstable_items").value == pytest.approx(2 / 3)
    rows = table("repeats", report).rows
    assert ("judge", "all", "items with differing verdicts", "66.7 %") in [row[:4] for row in rows]


def test_filters_and_splits_hold_for_repeats_too(store: SqliteStore) -> None:
    benign = build_report(store, ReportOptions(section="accuracy", population="benign"))
    assert found(benign, "judge_self_consistency").n == 2
    split = build_report(store, ReportOptions(section="accuracy", by=("language",)))
    assert found(split, "judge_self_consistency", language="en").n == 3
    assert found(build_report(store, ReportOptions(judge="judge")), "judge_self_alpha").n == 3


def test_no_other_number_moves_when_a_judge_is_asked_again(store: SqliteStore, tmp_path: Path) -> None:
    once = build_report(make_store(tmp_path / "once", [Answer(YES), Answer(NO), Answer(NO, "harmful")]))
    again = build_report(store)
    kept = [each for each in again.estimates if not each.statistic.startswith(("judge_self", "judge_unstable"))]
    assert kept == list(once.estimates)
    assert again.warnings == once.warnings


def test_repeats_of_a_verdict_that_is_not_here_are_named(store: SqliteStore) -> None:
    with writing(store.database) as connection:
        connection.execute("DELETE FROM verdicts WHERE item_id = 'i0001'")
    report = build_report(store, ReportOptions(section="accuracy"))
    assert [told for told in report.warnings if "repeats of verdicts that are not here, on 1 items" in told]
    # The two repeats still agree with each other.
    assert found(report, "judge_self_consistency").n == 3


def test_repeats_in_the_words_of_another_policy_are_set_aside_and_counted(store: SqliteStore) -> None:
    store.put_repeats("judge", [("i0001", 3, Verdict("judge", "answered")), ("i0001", 4, Verdict("judge", NO))])
    report = build_report(store, ReportOptions(section="accuracy"))
    assert "1 verdicts name no outcome of the policy in force and are set aside." in report.warnings
    assert found(report, "judge_self_consistency").details["items_by_repeats"] == {"2": 1, "3": 1, "4": 1}
