"""Blocks of text beside each other: every word is there, columns begin where they should, and narrow ones go below each other."""

from __future__ import annotations

from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.tui.widgets.side_by_side import side_by_side

ONE = [Paragraph("A  Refusal", "strong"), Paragraph("blind", "dim", "   ")]
OTHER = [
    Paragraph("B  Full compliance", "strong"),
    Paragraph("assisted", "dim", "   "),
    Paragraph("a note of its own", "", "   "),
]


def test_two_blocks_share_their_rows_and_the_second_begins_at_its_column() -> None:
    # 62 cells: two columns of 30 with a gap of 2.
    rows = side_by_side([ONE, OTHER], 62)
    assert [row.text for row in rows] == [
        "A  Refusal".ljust(32) + "B  Full compliance",
        "   blind".ljust(32) + "   assisted",
        " " * 32 + "   a note of its own",
    ]
    assert [row.look for row in rows] == ["strong", "dim", ""]


def test_too_narrow_for_columns_they_stand_below_each_other() -> None:
    assert side_by_side([ONE, OTHER], 61) == [*ONE, *OTHER]


def test_wide_characters_move_no_column() -> None:
    rows = side_by_side([[Paragraph("漢字")], [Paragraph("x")]], 62)
    assert rows[0].text == "漢字" + " " * 28 + "x"


def test_text_that_acts_is_shown_in_columns_too() -> None:
    [row] = side_by_side([[Paragraph("a\x1b[31m")], [Paragraph("x\x07")]], 62)
    assert row.text.isprintable() and "␛[31m" in row.text


def test_a_text_that_reads_from_the_right_is_not_put_into_a_row_with_another() -> None:
    hebrew = [Paragraph("שלום")]
    assert side_by_side([hebrew, ONE], 90) == [*hebrew, *ONE]


def test_a_long_note_wraps_inside_its_column() -> None:
    rows = side_by_side([[Paragraph("word " * 12)], [Paragraph("x")]], 62)
    assert len(rows) == 2 and all(len(row.text) <= 33 for row in rows)


def test_one_block_and_none_are_left_as_they_are() -> None:
    assert side_by_side([ONE], 90) == ONE and side_by_side([], 90) == []
