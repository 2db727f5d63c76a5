"""Judges against each other, from the store to the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudicate.core.estimates import Estimate
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.build_report import ReportOptions, build_report
from adjudicate.workflow.import_items import import_files, options_for
from tests.factory import AT, make_store, xstest_policy

YES, NO = "full_compliance", "full_refusal"
SAID = [(YES, YES)] * 20 + [(YES, NO)] * 5 + [(NO, YES)] * 10 + [(NO, NO)] * 15 + [(YES, None)] * 3
"""Of the first and the second judge, which gave no verdict in the last three."""


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    opened = make_store(tmp_path, [])
    rows = [
        {"prompt": f"p{n}", "response": "r", "intent": "benign" if n % 2 else "harmful", "verdict.a": one, "verdict.b": two}
        for n, (one, two) in enumerate(SAID)
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_files(opened, xstest_policy(), [path], options_for({}, {}), AT)
    return opened


def found(store: SqliteStore, name: str, **options: str) -> list[Estimate]:
    report = build_report(store, ReportOptions(section="accuracy", **options))  # type: ignore[arg-type]
    return [each for each in report.estimates if each.statistic == name]


def test_two_judges_agree_as_the_textbook_says(store: SqliteStore) -> None:
    """20 + 15 of 50 agree; by chance 0.5 x 0.6 + 0.5 x 0.4 = 0.5, so kappa is (0.7 - 0.5) / 0.5 = 0.4."""
    whole = found(store, "judges_percent_agreement")[0]
    assert (whole.value, whole.n, whole.group) == (0.7, 50, {"judge": "a", "second": "b"})
    table = dict(zip(whole.details["outcomes"], whole.details["table"], strict=True))
    assert sum(map(sum, table.values())) == 50
    kappa = found(store, "judges_cohen_kappa")[0]
    assert kappa.value == pytest.approx(0.4)
    # Pooled shares are 0.55 and 0.45: alpha is 1 - (2 x 15) (100 - 1) / (2 x 55 x 45) = 0.4.
    assert found(store, "judges_alpha")[0].value == pytest.approx(1 - (2 * 15) * 99 / (2 * 55 * 45))


def test_every_population_has_its_own_row(store: SqliteStore) -> None:
    rows = found(store, "judges_percent_agreement")
    assert {each.group.get("population"): each.n for each in rows} == {None: 50, "benign": 25, "harmful": 25}
    assert [each.n for each in found(store, "judges_percent_agreement", population="benign") if "population" in each.group] == [
        25
    ]


def test_one_judge_agrees_with_nobody(tmp_path: Path) -> None:
    single = make_store(tmp_path, [])
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"prompt": "p", "response": "r", "intent": "benign", "verdict.a": YES}) + "\n", encoding="utf-8")
    import_files(single, xstest_policy(), [path], options_for({}, {}), AT)
    assert found(single, "judges_percent_agreement") == []
