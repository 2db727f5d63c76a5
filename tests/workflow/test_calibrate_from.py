"""A calibration set from another workspace: what fits, what is refused, and what a report says by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from adjudicate.core.labels import label
from adjudicate.errors import UsageError
from adjudicate.stats.rogan_gladen import Calibration, rogan_gladen
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.build_report import ReportOptions, build_report
from adjudicate.workflow.calibrate_from import calibration_set
from adjudicate.workflow.present_report import brief, table
from tests.factory import AT, Answer, make_store, xstest_policy

YES, NO, PARTLY = "full_compliance", "full_refusal", "partial_refusal"
SEEN = ((YES, YES, 16), (NO, YES, 4), (YES, NO, 3), (NO, NO, 27))
"""Verdict and truth of 50 harmful items there, and how many: sensitivity 16/20, specificity 27/30."""


def labelled_there(folder: Path, seen: Sequence[tuple[str | None, str, int]] = SEEN, *, judge: str = "judge") -> SqliteStore:
    """A workspace where one person has labelled every item blindly."""
    pairs = [(verdict, truth) for verdict, truth, n in seen for _ in range(n)]
    store = make_store(folder / "there", [Answer(verdict, "harmful", f"There {n}.") for n, (verdict, _) in enumerate(pairs)],
                       judge=judge)  # fmt: skip
    policy, person = store.policy(), store.annotator("ann")
    for number, (_, truth) in enumerate(pairs):
        act = label(policy, item_id=f"i{number:04d}", outcome=truth, mode="blind")
        store.append(person.id, act, policy=policy.fingerprint, at=AT)
    return store


def judged_here(folder: Path) -> SqliteStore:
    """100 harmful items, 40 of them judged to comply, and nobody has labelled any."""
    return make_store(folder / "here", [Answer(YES, "harmful")] * 40 + [Answer(NO, "harmful")] * 60)


def test_a_report_carries_the_judges_errors_over(tmp_path: Path) -> None:
    here, there = judged_here(tmp_path), labelled_there(tmp_path)
    calibration = calibration_set(there, here, name="lab")
    report = build_report(here, ReportOptions(section="rates", calibration=calibration))
    [rate] = [each for each in report.estimates if each.statistic == "transported_rate"]
    expected = rogan_gladen(40, 100, Calibration(16, 20, 27, 30), group={})
    assert (rate.value, rate.low, rate.high) == (expected.value, expected.low, expected.high)
    assert rate.group == {"rate": "harmful_compliance", "population": "harmful", "judge": "judge"}
    shares = {each.group["outcome"]: each.value for each in report.estimates if each.statistic == "transported_share"}
    assert shares[YES] == pytest.approx(rate.value)
    assert shares[PARTLY] is None
    assert calibration.warnings == ()
    [row] = table("transported", report).rows
    assert row[2:4] == ("40.0 %", "42.9 %")
    assert row[5:] == ("80.0 %, 90.0 %", "50 of harmful")
    assert "true only if the judge errs here as it does there" in table("transported", report).title
    assert any("lab" in each.title for each in brief(report))
    # The splits of a report carry it too, and without a set nothing is said.
    assert any(
        each.statistic == "transported_rate" and "language" in each.group
        for each in build_report(here, ReportOptions(section="rates", by=("language",), calibration=calibration)).estimates
    )
    assert not any(each.statistic.startswith("transported") for each in build_report(here).estimates)


def test_outcomes_that_nobody_names_are_left_out_of_the_table_and_counted(tmp_path: Path) -> None:
    here, there = judged_here(tmp_path), labelled_there(tmp_path)
    found = table(
        "shares", build_report(here, ReportOptions(section="rates", calibration=calibration_set(there, here, name="lab")))
    )
    assert [row[0] for row in found.rows] == ["Full compliance", "Full refusal"]
    assert found.notes[-1].startswith("Left out: 1 ")


def test_another_policy_with_the_same_outcomes_is_used_with_a_warning(tmp_path: Path) -> None:
    here, there = judged_here(tmp_path), labelled_there(tmp_path)
    there.put_policy(replace(xstest_policy(), version="2", fingerprint="e" * 64), "2027-01-01T00:00:00Z")
    [warning] = calibration_set(there, here, name="lab").warnings
    assert warning.startswith("lab has another policy (xstest 2) with the same outcomes")


def test_a_policy_with_other_outcomes_is_refused_by_name(tmp_path: Path) -> None:
    here, there = judged_here(tmp_path), labelled_there(tmp_path)
    policy = xstest_policy()
    fewer = replace(policy, outcomes=policy.outcomes[:2], rates=policy.rates[:1], fingerprint="e" * 64)
    there.put_policy(fewer, "2027-01-01T00:00:00Z")
    with pytest.raises(UsageError, match=r"differ in the outcomes partial_refusal"):
        calibration_set(there, here, name="lab")


def test_a_judge_that_is_not_in_both_is_refused(tmp_path: Path) -> None:
    here, there = judged_here(tmp_path), labelled_there(tmp_path, judge="other")
    with pytest.raises(UsageError, match="no judge is in both workspaces by name; here: judge; there: other"):
        calibration_set(there, here, name="lab")
    with pytest.raises(UsageError, match=r"--judge “?nobody"):
        calibration_set(there, here, name="lab", judge="nobody")


def test_a_set_without_blind_labels_is_refused(tmp_path: Path) -> None:
    here, there = judged_here(tmp_path), make_store(tmp_path / "there", [Answer(YES, "harmful")])
    with pytest.raises(UsageError, match="no blind gold label"):
        calibration_set(there, here, name="lab")


def test_items_labelled_in_both_and_open_ones_are_told(tmp_path: Path) -> None:
    here, there = judged_here(tmp_path), labelled_there(tmp_path)
    for store, who in ((here, "ann"), (there, "bo")):
        policy, person = store.policy(), store.annotator(who)
        store.append(
            person.id, label(policy, item_id="i0000", outcome=NO, mode="blind"), policy=policy.fingerprint, at=AT
        )  # fmt: skip
    told = calibration_set(there, here, name="l\x1bab").warnings
    assert [text.split(" ")[0] for text in told] == ["1", "1"]
    assert "not from elsewhere" in told[0] and "wait for a ruling" in told[1]
    assert "\x1b" not in "".join(told)
