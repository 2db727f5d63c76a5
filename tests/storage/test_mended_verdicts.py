"""What a class means may be said later, and fills the verdict in; never after a draw was made with it as a failure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.draw_sample import draw_sample
from adjudicate.workflow.draw_settings import DrawSettings
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportRejected, ImportReport
from tests.factory import AT, make_store, xstest_policy
from tests.formats.test_hostile_files import dump

ODD = {"outcome": {"I cannot": "full_compliance"}}
"""What the one odd class of the log is said to mean later."""


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return make_store(tmp_path, [])


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Thirty verdicts, and one more that is the judge's own refusal."""
    row = {"prompt": "p", "intent": "benign", "judge": "gpt"}
    said = [*["full_refusal"] * 30, "I cannot"]
    rows = [{**row, "id": str(number), "response": f"r{number}", "verdict": each} for number, each in enumerate(said)]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    return path


def imported(store: SqliteStore, path: Path, **stated: Any) -> ImportReport:
    return import_files(store, xstest_policy(), [path], options_for(stated, {}), AT)


def outcome(store: SqliteStore, table: str = "verdicts") -> str | None:
    query = f"SELECT v.outcome FROM {table} AS v JOIN items AS i ON i.id = v.item_id WHERE i.source_id = '30'"  # a table
    found: str | None = store.database.connection.execute(query).fetchone()[0]
    return found


def test_a_draw_by_that_judge_keeps_the_verdict_as_it_was_drawn(store: SqliteStore, log: Path) -> None:
    """Strata are made of verdicts and never change, so the import is refused as a whole, with the way out."""
    imported(store, log)
    draw_sample(store, DrawSettings(n=5, seed=1, judge="gpt"), at=AT)
    before = dump(store)
    with pytest.raises(ImportRejected, match=r"verdicts of gpt are here as 'judge failed'.*new workspace.*all its classes"):
        imported(store, log, **ODD)
    assert dump(store) == before
    assert outcome(store) is None


def test_a_draw_whose_strata_are_made_of_something_else_keeps_nothing_back(store: SqliteStore, log: Path) -> None:
    imported(store, log)
    draw_sample(store, DrawSettings(n=5, seed=1, by=("population",)), at=AT)
    assert imported(store, log, **ODD).files[0].verdicts == 1
    assert outcome(store) == "full_compliance"


def test_a_repeat_is_filled_in_even_after_a_draw_because_no_stratum_rests_on_it(store: SqliteStore, log: Path) -> None:
    imported(store, log)
    imported(store, log, set={"repeat": "1"})
    draw_sample(store, DrawSettings(n=5, seed=1, judge="gpt"), at=AT)
    assert imported(store, log, set={"repeat": "1"}, **ODD).files[0].verdicts == 1
    assert (outcome(store), outcome(store, "verdict_repeats")) == (None, "full_compliance")


def test_another_meaning_than_the_one_that_stands_is_a_contradiction(store: SqliteStore, log: Path) -> None:
    imported(store, log, **ODD)
    file = imported(store, log, outcome={"I cannot": "full_refusal"}).files[0]
    assert (file.skipped, file.problems[0].line, file.problems[0].field) == (1, 31, "verdict")
    assert outcome(store) == "full_compliance"
