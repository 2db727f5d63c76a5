"""The report as a page: every section of the report is on it, with its plots and what it rests on."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.formats.page import Figure, Grid, Heading, html_text
from adjudicate.formats.policy_file import read_policy
from adjudicate.settings import resource
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.build_report import build_report
from adjudicate.workflow.demo import fill_demo
from adjudicate.workflow.export_records import ExportOptions
from adjudicate.workflow.export_results import export
from adjudicate.workflow.present_report import SECTION_TABLES, table
from adjudicate.workflow.report_page import SECTIONS, report_page
from tests.factory import AT


def test_every_table_of_a_report_has_its_place() -> None:
    placed = [each for _, tables in SECTIONS for each in tables]
    assert sorted(placed) == sorted(SECTION_TABLES)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SqliteStore:
    """The demo's store."""
    path = resource("policies", "refusal-boundary.md")
    policy = read_policy(path.read_text(encoding="utf-8"), path.name)
    opened = SqliteStore.open(tmp_path_factory.mktemp("demo") / "demo.db", create=True)
    opened.put_policy(policy, AT)
    fill_demo(opened, policy, resource("demo"), now=lambda: AT)
    return opened


def test_the_page_holds_every_table_that_says_something(store: SqliteStore) -> None:
    built = build_report(store)
    page = report_page(store, built, name="demo", at=AT, software="adjudicate 0")
    captions = {block.caption for block in page.blocks if isinstance(block, Grid)}
    assert {shown.title for each in SECTION_TABLES if (shown := table(each, built)).rows} <= captions
    headings = [block.text for block in page.blocks if isinstance(block, Heading)]
    assert headings[0] == "Rates"
    assert headings[-1] == "What these numbers rest on"
    assert sum(isinstance(block, Figure) for block in page.blocks) >= 2


def test_no_text_of_an_item_is_on_the_page(store: SqliteStore) -> None:
    page = report_page(store, build_report(store), name="demo", at=AT, software="adjudicate 0")
    text = "".join(html_text(page))
    for (response,) in store.database.connection.execute("SELECT response FROM items WHERE length(response) > 20"):
        assert response not in text


def test_it_is_exported_for_one_model_too(store: SqliteStore, tmp_path: Path) -> None:
    model = next(iter(store.models()))
    (path,) = export(store, "report.html", tmp_path / "exports", ExportOptions(model=model, at=AT, workspace="demo"))
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
