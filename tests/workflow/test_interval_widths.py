"""What the quiet line is told: by population, without any rate, from a process of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudicate.core.labels import Act
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.interval_widths import TARGET, WidthsAside
from adjudicate.workflow.plan_labels import PlanQuestion, labels_to_go, plan_labels
from tests.factory import AT, Answer, make_store


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    """Two hundred benign items, forty of them labelled: every tenth answer is refused."""
    made = make_store(tmp_path, [Answer("full_compliance") for _ in range(200)])
    draw_sample(made, DrawSettings(n=200, annotators=("ann",), overlap=1, blind_share=1.0, seed=7), at=AT)
    person, policy = made.annotator("ann"), made.policy()
    for number, pick in enumerate(made.pending(person.id, after=-1, limit=40)):
        outcome = "full_refusal" if number % 10 == 0 else "full_compliance"
        made.append(person.id, Act("label", pick.item_id, outcome=outcome, mode="blind"), policy=policy.fingerprint, at=AT)
    return made


def test_the_further_labels_are_those_of_the_plan(store: SqliteStore) -> None:
    planned = [
        estimate.value
        for estimate in plan_labels(store, PlanQuestion(half_width=0.02)).estimates
        if estimate.statistic == "more_labels" and estimate.details["reached"]
    ]
    assert labels_to_go(store, 0.02) == {"benign": max(int(value or 0) for value in planned)}
    # A width of 96 points is what any label brings.
    assert labels_to_go(store, 0.48) == {"benign": 0}


def test_a_population_without_labels_is_left_out(tmp_path: Path) -> None:
    bare = make_store(tmp_path, [Answer("full_compliance") for _ in range(5)])
    draw_sample(bare, DrawSettings(n=5, annotators=("ann",), overlap=1, blind_share=1.0, seed=7), at=AT)
    assert labels_to_go(bare, TARGET) == {}


def test_the_process_tells_widths_labels_and_time_and_nothing_else(store: SqliteStore, tmp_path: Path) -> None:
    database = tmp_path / "workspace" / "db" / "adjudicate.db"
    aside = WidthsAside(database, store.annotator("ann").id)
    standing = aside.measure()
    assert standing is not None
    assert set(standing.widths) == set(standing.more) == {"benign"}
    assert standing.more == labels_to_go(store, TARGET)
    width = standing.widths["benign"]
    assert width is not None and 0 < width < 1
    # All labels carry the same moment, on some day of the past: no time was worked today.
    assert standing.today == 0
    assert json.dumps(standing.more).isascii()


def test_a_measurement_that_fails_is_none(tmp_path: Path) -> None:
    assert WidthsAside(tmp_path / "nothing.db", "a").measure() is None
