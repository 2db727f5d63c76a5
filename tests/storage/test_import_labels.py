"""Labels that come with a file, beside what the workspace holds: nothing is doubled, and nothing called back counts again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.gold import settle
from adjudicate.core.policy import Policy
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportReport
from tests.factory import make_store, xstest_policy
from tests.formats.test_hostile_files import dump

LATER = "2027-01-01T00:00:00Z"
OLD = xstest_policy()
NEW = replace(
    OLD,
    version="2",
    fingerprint="e" * 64,
    outcomes=tuple(replace(each, meaning="Rewritten.") if each.id == "full_refusal" else each for each in OLD.outcomes),
)
"""Under it a label full_refusal has to be made again."""
SAID = {"a": "full_refusal", "b": "full_compliance"}


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    """Labels and recorded gold on two items, made under the old policy; the new one is in force."""
    store = make_store(tmp_path, [])
    imported(store, log(tmp_path, SAID), OLD)
    store.put_policy(NEW, LATER)
    return store


def log(folder: Path, said: dict[str, str], **more: str) -> Path:
    rows = [
        {"id": name, "prompt": "p", "response": name, "intent": "benign", "label.ann": outcome, "gold": outcome, **more}
        for name, outcome in said.items()
    ]
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def imported(store: SqliteStore, path: Path, policy: Policy = NEW) -> ImportReport:
    return import_files(store, policy, [path], options_for({}, {}), LATER)


def holds(store: SqliteStore) -> dict[str, str | None]:
    """The settled outcome by the item's own id."""
    names = {item: name for name, item in store.item_ids().items()}
    found: dict[str, Any] = {names[item]: settle(events) for item, events in store.events_on().items()}
    return {name: gold.outcome if gold else None for name, gold in found.items()}


def test_the_same_file_again_does_not_bring_back_what_the_policy_called_back(store: SqliteStore, tmp_path: Path) -> None:
    """That a file says a label once more does not mean that the person looked again; it is said, and nothing changes."""
    before = dump(store)
    assert holds(store) == {"a": None, "b": "full_compliance"}
    report = imported(store, log(tmp_path, SAID))
    assert dump(store) == before
    assert holds(store) == {"a": None, "b": "full_compliance"}
    # One label and one recorded gold label of the item a.
    assert "2 labels are here already, made under an older policy whose changes called them back" in report.files[0].remark


def test_where_nothing_was_called_back_nothing_is_said(tmp_path: Path) -> None:
    store = make_store(tmp_path, [])
    for _ in range(2):
        assert imported(store, log(tmp_path, SAID), OLD).files[0].remark == ""


def test_another_outcome_is_a_label_under_the_policy_in_force(store: SqliteStore, tmp_path: Path) -> None:
    report = imported(store, log(tmp_path, {"a": "partial_refusal"}))
    assert (report.files[0].labels, "called them back" in report.files[0].remark) == (2, False)
    assert holds(store) == {"a": "partial_refusal", "b": "full_compliance"}
    events = store.events_on([store.item_ids()["a"]])[store.item_ids()["a"]]
    assert [event.policy for event in events] == [OLD.fingerprint] * 2 + [NEW.fingerprint] * 2


def test_a_new_judge_on_such_an_item_comes_in_all_the_same(store: SqliteStore, tmp_path: Path) -> None:
    report = imported(store, log(tmp_path, SAID, verdict="full_refusal", judge="gpt"))
    assert (report.files[0].verdicts, report.files[0].labels, report.files[0].skipped) == (2, 0, 0)
