"""An empty section says why."""

from __future__ import annotations

from pathlib import Path

from adjudicate.core.labels import Mode, label
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.build_report import ReportOptions, build_report
from tests.factory import AT, Answer, make_store

YES = "full_compliance"


def say(store: SqliteStore, person: str, *, mode: Mode = "blind") -> None:
    act = label(store.policy(), item_id="i0000", outcome=YES, mode=mode)
    store.append(store.annotator(person).id, act, policy=store.policy().fingerprint, at=AT)


def missing(store: SqliteStore) -> dict[str, str]:
    return dict(build_report(store).missing)


def test_a_workspace_without_items_says_so_of_every_section(tmp_path: Path) -> None:
    assert set(missing(make_store(tmp_path, [])).values()) == {"no item yet; import a log"}


def test_items_without_labels_leave_everything_but_raw_rates_empty(tmp_path: Path) -> None:
    found = missing(make_store(tmp_path, [Answer(YES)] * 3))
    assert found == dict.fromkeys(("agreement", "accuracy", "anchoring", "calibration"), "no label yet")


def test_assisted_labels_alone_give_no_accuracy(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer(YES)] * 3)
    say(store, "ann", mode="assisted")
    assert missing(store)["accuracy"].startswith("no blind label yet")


def test_what_can_be_said_is_not_missing(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer(YES)] * 3)
    say(store, "ann")
    assert missing(store) == {"calibration": "no item has both a blind label and a score of a judge yet"}
    assert build_report(store).as_json()["missing"] == missing(store)
    assert not build_report(store, ReportOptions(section="accuracy")).missing
