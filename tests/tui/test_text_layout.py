"""Rows, what they look like, where they are in the text, and what is found in them."""

from __future__ import annotations

from rich.cells import cell_len

from adjudicate.tui.widgets.right_to_left import holds_right_to_left, reads_right_to_left
from adjudicate.tui.widgets.text_find import MOST, Found
from adjudicate.tui.widgets.text_layout import Paragraph, Place, lay_out

WORDS = "one two three four five six seven eight nine ten"


def test_rows_know_where_in_the_text_they_start() -> None:
    layout = lay_out([Paragraph(f"{WORDS}\n\n字字字字字字字字 字字 end")], 12)
    text = layout.blocks[0].text
    for number, row in enumerate(layout.rows):
        assert text.startswith(row, layout.start_of(number))


def test_spans_go_on_in_the_next_row_and_leave_the_lead_alone() -> None:
    layout = lay_out([Paragraph("- aa **bb cc dd** ee", markdown=True)], 9)
    assert [row.rstrip() for row in layout.rows] == ["• aa bb", "  cc dd", "  ee"]
    assert [list(layout.spans_of(row)) for row in range(3)] == [[(5, 8, "bold")], [(2, 7, "bold")], []]


def test_raw_is_every_character() -> None:
    text = "# a **b**\n- c\n```\nd\n```"
    assert lay_out([Paragraph(text, markdown=True)], 90, raw=True).rows == text.split("\n")
    assert lay_out([Paragraph(text)], 90).rows == text.split("\n")


def test_looks_and_indents_of_paragraphs_hold_for_all_their_rows() -> None:
    layout = lay_out([Paragraph("a\nb", "dim", "  "), Paragraph("c", "strong")], 9)
    assert layout.rows == ["  a", "  b", "c"]
    assert [layout.look_of(row) for row in range(3)] == ["dim", "dim", "strong"]
    assert layout.first_rows == [0, 2] and layout.paragraph_of(1) == 0


def test_a_row_with_an_end_stays_one_row_and_keeps_its_end() -> None:
    """Ten cells: two of the end, and of the text seven with the ellipsis that says that it goes on."""
    rows = [Paragraph("1  Refusal", row_end=""), Paragraph("2  Refusal with redirection", row_end=" ←")]
    assert lay_out(rows, 10).rows == ["1  Refusal", "2  Refu… ←"]


def test_lines_that_read_from_the_right_end_at_the_right() -> None:
    """Only those: an English line between them stays, and no letter changes its place in the text."""
    arabic, hebrew = "\u0627\u0634\u0631\u0628 \u0627\u0644\u0645\u0627\u0621", "\u05e9\u05dc\u05d5\u05dd"
    layout = lay_out([Paragraph(f"{arabic}\nplain\n{hebrew}")], 30)
    assert [cell_len(row) for row in layout.rows] == [30, 5, 30]
    assert layout.rows[0].strip() == arabic and layout.rows[1] == "plain"


def test_the_first_letter_says_which_way_a_line_reads() -> None:
    assert reads_right_to_left("12. \u05e9\u05dc\u05d5\u05dd") and reads_right_to_left("<U+200F>\u05e9")
    assert not reads_right_to_left("to say \u05e9\u05dc\u05d5\u05dd") and not reads_right_to_left("123")
    assert holds_right_to_left("to say \u05e9") and not holds_right_to_left("né")


def test_words_are_found_in_either_case_and_across_the_end_of_a_row() -> None:
    layout = lay_out([Paragraph("Stay in the shade. STAY COOL and rest, stay cool.")], 10)
    found = Found("stay cool", layout, near=0)
    assert [(place.start, place.end) for place in found.places] == [(19, 28), (39, 48)]
    marked = [layout.rows[row][start:end] for row in range(len(layout.rows)) for start, end, _ in found.in_row(layout, row)]
    assert "".join(marked).casefold().replace(" ", "") == "staycool" * 2


def test_looking_begins_near_the_top_and_goes_round() -> None:
    layout = lay_out([Paragraph("x\n" * 10)], 20)
    found = Found("x", layout, near=4)
    assert (found.at, found.told()) == (4, "match 5 of 10")
    for _ in range(6):
        found.move(1)
    assert found.at == 0
    found.move(-1)
    assert found.at == 9 and layout.row_of(found.places[9]) == 9


def test_words_that_are_not_there_say_so_and_common_ones_end() -> None:
    layout = lay_out([Paragraph("x" * 2 * MOST), Paragraph("y")], 80)
    nothing = Found("z", layout, near=0)
    nothing.move(1)
    assert nothing.place is None and nothing.told() == "not found"
    assert Found("x", layout, near=0).told() == "match 1 of 10,000 or more"


def test_words_are_looked_for_as_they_are() -> None:
    layout = lay_out([Paragraph("a.b a+b (a|b)")], 80)
    assert len(Found("a.b", layout, near=0).places) == 1
    assert Found("(a|b)", layout, near=0).places == [Place(0, 8, 13)]
