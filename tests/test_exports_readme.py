"""exports/README.md describes every column of every export, and no column that is not there."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from adjudicate.core import labels
from adjudicate.workflow import (
    export_classifications,
    export_judge_set,
    export_pairs,
    export_prompts,
    export_pyrit,
    export_sample,
    export_scout,
)
from adjudicate.workflow.export_records import (
    GOLD_COLUMNS,
    GOLD_TEXT,
    LABEL_COLUMNS,
    LABEL_TEXT,
    RATE_COLUMNS,
    ExportOptions,
)
from adjudicate.workflow.export_results import export
from adjudicate.workflow.exports import EXPORTS
from tests.factory import AT, Answer, make_store

README = Path(__file__).parents[1] / "exports" / "README.md"
OPTIONS = ExportOptions(with_text=True, software="adjudicate test", at=AT)


def described(section: str) -> list[str]:
    """Names in the first column of the table of a section."""
    text = re.split(r"^## ", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    body = next(part for part in text if part.startswith(f"{section}\n"))
    return re.findall(r"^\| `([^`]+)` \|", body, flags=re.MULTILINE)


def rows_of(section: str) -> list[str]:
    """The rows of a section's table."""
    text = re.split(r"^## ", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [line for part in text if part.startswith(f"{section}\n") for line in part.splitlines() if line.startswith("| `")]


@pytest.mark.parametrize(
    ("section", "columns"),
    [
        ("rates", RATE_COLUMNS),
        ("labels", (*LABEL_COLUMNS, *LABEL_TEXT)),
        ("gold", (*GOLD_COLUMNS, *GOLD_TEXT)),
        ("prompts", (*export_prompts.COLUMNS, *export_prompts.TEXT)),
        ("judge-set", (*export_judge_set.COLUMNS, *export_judge_set.TEXT)),
        ("pairs", export_pairs.COLUMNS),
        ("classifications", export_classifications.COLUMNS),
        ("sample", (*export_sample.COLUMNS, *export_sample.TEXT)),
        ("scout", export_scout.COLUMNS),
        ("pyrit", export_pyrit.COLUMNS),
    ],
)
def test_every_column_is_described_in_its_order(section: str, columns: tuple[str, ...]) -> None:
    assert described(section) == list(columns)


def test_every_export_has_a_section() -> None:
    sections = set(re.findall(r"^## ([\w-]+)$", README.read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert {each.name.partition(".")[0] for each in EXPORTS} == sections


@pytest.mark.parametrize(
    ("section", "columns"),
    [
        ("labels", LABEL_TEXT),
        ("gold", GOLD_TEXT),
        ("prompts", export_prompts.TEXT),
        ("judge-set", export_judge_set.TEXT),
        ("sample", export_sample.TEXT),
    ],
)
def test_columns_with_text_say_so(section: str, columns: tuple[str, ...]) -> None:
    marked = [row for row in rows_of(section) if "Only with `--with-text`." in row]
    assert [row.split("`")[1] for row in marked] == list(columns)


def test_every_key_of_the_receipt_is_described(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_compliance")])
    [path] = export(store, "receipt", tmp_path, OPTIONS)
    store.close()
    assert described("receipt") == list(json.loads(path.read_text(encoding="utf-8")))


def test_every_column_of_an_xstest_file_is_described(tmp_path: Path) -> None:
    store = make_store(tmp_path, [Answer("full_compliance")])
    policy = store.policy()
    act = labels.label(policy, item_id="i0000", outcome="full_compliance", mode="blind")
    store.append(store.annotator("ann").id, act, policy=policy.fingerprint, at=AT)
    [path] = export(store, "xstest", tmp_path, OPTIONS)
    store.close()
    with path.open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    assert described("xstest") == [re.sub(r"\d+$", "N", column) for column in header]
