"""Imports a log, labels its items and writes it back: what the tests of the writers share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudicate.core import labels
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.export_results import export
from adjudicate.workflow.import_items import import_files, options_for
from adjudicate.workflow.import_report import ImportReport
from tests.factory import AT, xstest_policy

CLAUSE = xstest_policy().clauses[0].id


def imported(store: SqliteStore, *paths: Path, join: Any = None, **stated: Any) -> ImportReport:
    """An import with the options of a command: ``map``, ``set``, ``outcome`` ..."""
    return import_files(store, xstest_policy(), paths, options_for(stated, {}), AT, join=join)


def item_ids(store: SqliteStore) -> list[str]:
    """Items in the order of their import."""
    return [row[0] for row in store.database.connection.execute("SELECT id FROM items ORDER BY rowid")]


def label(
    store: SqliteStore, person: str, said: Mapping[str, str], *, clause: str | None = None, mode: labels.Mode = "blind"
) -> str:
    """Labels of one person, outcome by item; their pseudonym."""
    annotator = store.annotator(person)
    for item, outcome in said.items():
        act = labels.label(xstest_policy(), item_id=item, outcome=outcome, mode=mode, clause=clause)
        store.append(annotator.id, act, policy=xstest_policy().fingerprint, at=AT)
    return f"A{annotator.pseudonym}"


def resolve(store: SqliteStore, item: str, outcome: str) -> None:
    """A ruling on an item."""
    settles = [event.id for event in store.events_on([item]).get(item, ())]
    act = labels.resolution(xstest_policy(), item_id=item, outcome=outcome, rationale="otterrationale", settles=settles)
    store.append(store.annotator("judge of judges").id, act, policy=xstest_policy().fingerprint, at=AT)


def written(store: SqliteStore, name: str, folder: Path, **options: Any) -> tuple[Path, Sequence[str]]:
    """The one file of an export, and what was told."""
    told: list[str] = []
    folder.mkdir(exist_ok=True)
    wanted = ExportOptions(software="test", at=AT, tell=told.append, **options)
    [path] = export(store, name, store.path.parents[1] / "exports", wanted, out=folder)
    return path, told


def state(store: SqliteStore) -> list[list[tuple[Any, ...]]]:
    """All items, verdicts and events."""
    queries = ("SELECT * FROM items ORDER BY id", "SELECT * FROM verdicts ORDER BY item_id, judge_id", "SELECT id FROM events")
    return [[tuple(row) for row in store.database.connection.execute(query)] for query in queries]
