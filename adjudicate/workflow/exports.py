"""What can be exported: `EXPORTS` is the table. Adding an export is a function and a row.

People appear as A17, A803, ...; times as days; responses, prompts and free text only where asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from adjudicate.errors import UsageError
from adjudicate.formats.page import Page, html_text, markdown_page
from adjudicate.formats.writers import Lines, csv_text, json_text, jsonl_text, markdown_text
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow import export_judge_set, export_pairs, export_prompts, export_pyrit, export_sample, export_scout
from adjudicate.workflow.build_report import ReportOptions, build_report
from adjudicate.workflow.export_records import (
    GOLD_COLUMNS,
    GOLD_TEXT,
    LABEL_COLUMNS,
    LABEL_TEXT,
    RATE_COLUMNS,
    ExportOptions,
    gold_records,
    label_records,
    rate_records,
)
from adjudicate.workflow.export_xstest import xstest_files
from adjudicate.workflow.receipt import receipt

Content = Iterable[str] | Callable[[Path], None]
"""Text in pieces, or what makes the file under the path that it is given."""
Files = Iterator[tuple[str, Content]]
MakeFiles = Callable[[SqliteStore, ExportOptions], Files]


@dataclass(frozen=True, slots=True)
class Export:
    """One kind of export."""

    name: str
    title: str
    files: MakeFiles
    """File names with their content."""
    whole: bool = False
    """Whether it speaks for the workspace as a whole and cannot be narrowed."""
    needs_source: bool = False
    """Whether it is a copy of a log, which `ExportOptions.source` names, with labels in it."""
    takes_source: bool = False
    """Whether it may be made from a log, and is made from the workspace where none is named."""
    needs_rate: bool = False
    """Whether it asks yes or no, so that `ExportOptions.rate` has to say what counts."""


def _rates(write: Callable[..., Lines], suffix: str) -> MakeFiles:
    def files(store: SqliteStore, options: ExportOptions) -> Files:
        yield f"rates{suffix}", write(RATE_COLUMNS, rate_records(store, options))

    return files


def _labels(write: Callable[..., Lines], suffix: str) -> MakeFiles:
    def files(store: SqliteStore, options: ExportOptions) -> Files:
        columns = LABEL_COLUMNS + (LABEL_TEXT if options.with_text else ())
        yield f"labels{suffix}", write(columns, label_records(store, options))

    return files


def _gold(write: Callable[..., Lines], suffix: str) -> MakeFiles:
    def files(store: SqliteStore, options: ExportOptions) -> Files:
        columns = GOLD_COLUMNS + (GOLD_TEXT if options.with_text else ())
        yield f"gold{suffix}", write(columns, gold_records(store, options))

    return files


def _receipt(store: SqliteStore, options: ExportOptions) -> Files:
    made = receipt(store, software=options.software, at=options.at, conservative=options.conservative)
    yield "receipt.json", [json.dumps(made, ensure_ascii=False, allow_nan=False, indent=2) + "\n"]


def _report(write: Callable[[Page], Lines], suffix: str) -> MakeFiles:
    def files(store: SqliteStore, options: ExportOptions) -> Files:
        from adjudicate.workflow.report_page import report_page

        wanted = ReportOptions(model=options.model, run=options.run, conservative=options.conservative)
        built = build_report(store, wanted)
        page = report_page(store, built, name=options.workspace, at=options.at, software=options.software)
        yield f"report{suffix}", write(page)

    return files


def _xstest(store: SqliteStore, options: ExportOptions) -> Files:
    return xstest_files(store, model=options.model, run=options.run, with_text=options.with_text)


def _inspect(store: SqliteStore, options: ExportOptions) -> Files:
    from adjudicate.workflow.export_inspect import inspect_files

    return inspect_files(store, options)


def _promptfoo(store: SqliteStore, options: ExportOptions) -> Files:
    from adjudicate.workflow.export_promptfoo import promptfoo_files

    return promptfoo_files(store, options)


def _log(store: SqliteStore, options: ExportOptions) -> Files:
    from adjudicate.workflow.export_log import log_files

    return log_files(store, options)


def _scout(store: SqliteStore, options: ExportOptions) -> Files:
    # Made before a file is opened, so that a refusal leaves none.
    yield "validation.csv", csv_text(export_scout.COLUMNS, list(export_scout.scout_records(store, options)))


def _pyrit(store: SqliteStore, options: ExportOptions) -> Files:
    yield "pyrit.csv", export_pyrit.pyrit_lines(store, options)


def _sample(store: SqliteStore, options: ExportOptions) -> Files:
    columns = export_sample.COLUMNS + (export_sample.TEXT if options.with_text else ())
    if not store.draws():
        raise UsageError("no sample was drawn: make one with 'adjudicate draw --n N'")
    yield "sample.csv", csv_text(columns, export_sample.sample_records(store, options))


def _prompts(store: SqliteStore, options: ExportOptions) -> Files:
    columns = export_prompts.COLUMNS + (export_prompts.TEXT if options.with_text else ())
    records = export_prompts.prompt_records(store, run=options.run, model=options.model, with_text=options.with_text)
    yield "prompts.jsonl", jsonl_text(columns, records)


def _judge_set(store: SqliteStore, options: ExportOptions) -> Files:
    columns = export_judge_set.COLUMNS + (export_judge_set.TEXT if options.with_text else ())
    yield "judge-set.jsonl", jsonl_text(columns, list(export_judge_set.judge_set_records(store, options)))


def _pairs(store: SqliteStore, options: ExportOptions) -> Files:
    # Made before a file is opened, so that a refusal leaves none.
    yield "pairs.jsonl", jsonl_text(export_pairs.COLUMNS, list(export_pairs.pair_records(store, options)))


def _classifications(store: SqliteStore, options: ExportOptions) -> Files:
    from adjudicate.workflow import export_classifications

    # Made before a file is opened, so that a refusal leaves none.
    made = export_classifications.classifications(store, options)
    yield "classifications.csv", csv_text(export_classifications.COLUMNS, made.records)
    yield "classification-rule.json", [json.dumps(made.rule, ensure_ascii=False, allow_nan=False, indent=2) + "\n"]


def _sqlite(store: SqliteStore, options: ExportOptions) -> Files:
    from adjudicate.storage.published_copy import published_copy

    yield "adjudicate.sqlite", lambda path: published_copy(store, path, with_text=options.with_text)


EXPORTS: tuple[Export, ...] = (
    Export("rates.json", "Raw, human and corrected rates", _rates(json_text, ".json")),
    Export("rates.csv", "The same for a spreadsheet", _rates(csv_text, ".csv")),
    Export("rates.md", "The same as a Markdown table", _rates(markdown_text, ".md")),
    Export("report.html", "The whole report as one page: tables, plots, what it rests on", _report(html_text, ".html")),
    Export("report.md", "The same in Markdown, without plots", _report(markdown_page, ".md")),
    Export("labels.jsonl", "Every label, lossless", _labels(jsonl_text, ".jsonl")),
    Export("labels.csv", "Every label for a spreadsheet", _labels(csv_text, ".csv")),
    Export("gold.jsonl", "One row an item: the settled outcome", _gold(jsonl_text, ".jsonl")),
    Export("gold.csv", "The same for a spreadsheet", _gold(csv_text, ".csv")),
    Export("sample.csv", "The drawn items in their order, for labelling them with another tool", _sample),
    Export("prompts", "The prompts with the intents that were ruled on, for the next run", _prompts),
    Export("judge-set", "Gold beside verdicts: examples to show a judge, and a set to test it on", _judge_set),
    Export("pairs", "Benign and harmful twins, rightly answered and refused, as chat rows for training", _pairs),
    Export("classifications", "What a judge made of each answer, without its text, and the rule it went by", _classifications),
    Export("sqlite", "The database without names, for Datasette and other SQLite tools", _sqlite, whole=True),
    Export("receipt", "The release receipt: what the numbers rest on, with hashes", _receipt, whole=True),
    Export("xstest", "XSTest completions with annotation_N, agreement and final_label", _xstest),
    Export("inspect", "A copy of an Inspect log with labels as score edits", _inspect, needs_source=True),
    Export("promptfoo", "A copy of promptfoo results with human ratings beside the judge's", _promptfoo, needs_source=True),
    Export("log", "The imported CSV or JSON table with columns added", _log, takes_source=True),
    Export("scout", "Validation set for Inspect Scout", _scout, needs_rate=True),
    Export("pyrit", "Human-labelled data set for PyRIT", _pyrit, needs_rate=True),
)
