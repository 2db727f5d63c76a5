"""Tables in a pane: every cell within the width, reasons in place of numbers, groups as headings, nothing that acts."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from adjudicate.core.estimates import Estimate
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.tui.widgets.line_wrap import wrap
from adjudicate.tui.widgets.pair_matrix import pair_table
from adjudicate.tui.widgets.table_rows import Grouped, table_rows
from adjudicate.workflow.text_table import TextTable

TABLE = TextTable(
    "Judge",
    ("judge", "on", "measure", "value", "interval", "n", ""),
    (
        ("j", "all", "accuracy", "82.4 %", "70.9 % to 93.8 %", "24", ""),
        ("j", "all", "Matthews correlation", "undefined", "one class only", "3", ""),
        ("j", "rate a", "sensitivity", "50.7 %", "3.5 % to 98.0 %", "3", "few"),
    ),
    right=(3, 5),
)


def text(rows: list[Paragraph]) -> str:
    return "\n".join(row.indent + row.text for row in rows)


def test_what_is_the_same_everywhere_stands_once_and_groups_are_headings() -> None:
    rows = table_rows(Grouped(TABLE, ("judge", "on")), width=100)
    assert [row.text for row in rows[:2]] == ["Judge", "judge j"]
    assert [row.text for row in rows if row.look == "strong"] == ["all", "rate a"]
    assert "70.9 to 93.8 %" in text(rows)


def test_a_reason_stands_in_place_of_the_number_and_caveats_are_dim() -> None:
    rows = table_rows(Grouped(TABLE, ("judge", "on")), width=100)
    undefined = next(row for row in rows if "undefined" in row.text)
    assert undefined.text.endswith("undefined: one class only · n 3") and undefined.look == "dim"
    assert next(row for row in rows if "few" in row.text).look == "dim"
    assert next(row for row in rows if "accuracy" in row.text).look == ""


@pytest.mark.parametrize("width", [12, 20, 34, 56, 76, 116])
def test_no_row_is_wider_than_the_pane(width: int) -> None:
    wide = TextTable(
        "t", ("名前", "value", "much longer header", "n"), (("字" * 30, "1", "x" * 50, "3"), ("a b c", "", "d", "")), (1, 3)
    )
    for table in (TABLE, wide):
        for grouped in (Grouped(table), Grouped(table, ("on",))):
            assert all(cell_len(row.indent + row.text) <= width for row in table_rows(grouped, width=width)[1:])


def test_the_reason_for_no_interval_runs_on_to_the_edge_and_keeps_its_number() -> None:
    cells = (("accuracy", "86.7 %", "no interval: no spread in the sample", "5"), ("kappa", "0.700", "0.515 to 0.849", "30"))
    table = TextTable("t", ("measure", "value", "interval", "n"), cells, right=(1, 3))
    rows = text(table_rows(Grouped(table), width=50)).split("\n")
    assert "86.7 %  no interval: no spread in the" in rows[2] and rows[3].endswith("sample · n 5")
    assert rows[4].split() == ["kappa", "0.700", "0.515", "to", "0.849", "30"]


def test_hostile_cells_are_made_visible_on_one_line() -> None:
    hostile = "[/nope] \x1b]0;x\x07 \u202e\x9b \n\u2028"
    table = TextTable("t", ("name", "value"), ((hostile, "1"), ("b", hostile)), right=(1,))
    assert all((row.indent + row.text).isprintable() for row in table_rows(Grouped(table), width=60))


def test_a_table_without_rows_is_nothing() -> None:
    assert table_rows(Grouped(TextTable("t", ("a",), (), ())), width=80) == []


def test_pairs_of_annotators_are_a_matrix_with_their_items() -> None:
    pairs = [
        {"first": "A1", "second": "A2", "n_common": 14, "percent": 0.8, "kappa": 0.739},
        {"first": "A1", "second": "A10", "n_common": 13, "percent": 0.8, "kappa": 0.594},
        {"first": "A2", "second": "A10", "n_common": 1, "percent": 1.0, "kappa": None},
    ]
    whole = Estimate("cohen_kappa", None, 30, "m", unit="coefficient", undefined="three raters", details={"pairwise": pairs})
    table = pair_table([whole])
    assert table.headers == ("annotator", "A1", "A2")
    assert table.rows == (("A2", "0.739 (14)", "·"), ("A10", "0.594 (13)", "undefined (1)"))
    assert pair_table([]).rows == ()


def test_no_row_begins_with_the_spaces_that_broke_the_one_before() -> None:
    for words in ("1 Full   2 Partial   3 Deflection   4 None", "1 字字字   2 字字   3 字字字字   4 字"):
        for width in range(8, 40):
            assert not any(row.startswith(" ") for row in wrap(words, width))


def test_where_columns_do_not_fit_a_row_is_told_beginning_with_its_name() -> None:
    rows = [row.indent + row.text for row in table_rows(Grouped(TABLE, ("judge", "on")), width=30)]
    at = rows.index(" accuracy: value 82.4 % ·")
    assert rows[at + 1].startswith("   interval"), "what goes on stands below, further in"
    assert all(cell_len(row) <= 30 for row in rows)
