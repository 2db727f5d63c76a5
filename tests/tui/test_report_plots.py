"""The plots of the report as text: scales, lines, heat, bars; readable without colour, and gone where a window is low."""

from __future__ import annotations

from dataclasses import replace

from adjudicate.core.estimates import Estimate
from adjudicate.tui.widgets.braille_canvas import Canvas, Stroke
from adjudicate.tui.widgets.curve_rows import curve_rows
from adjudicate.tui.widgets.day_rows import day_rows
from adjudicate.tui.widgets.heat_rows import heat_list, heat_rows
from adjudicate.tui.widgets.interval_rows import Line, interval_rows
from adjudicate.tui.widgets.sheet_row import Cell, SheetRow, Span, beside
from adjudicate.tui.widgets.tick_axis import axis, with_guides
from adjudicate.workflow.behind import Behind, named
from adjudicate.workflow.plot_records import Confusion, Curve, Day, Point, Series
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import driven, press, settled, text_of
from tests.tui.test_report import labelled


def texts(rows: list[SheetRow]) -> list[str]:
    return [row.text for row in rows]


def test_a_rising_line_goes_from_the_lower_left_to_the_upper_right() -> None:
    canvas = Canvas(2, 2)
    canvas.line([(0.0, 0.0), (1.0, 1.0)], Stroke(1, 0, ""))
    upper, lower = (text for text, _ in canvas.rows())
    # Four dots across and eight up: two rows of dots for each column. Nothing in the upper left and lower right cell.
    assert upper[0] == " " and lower[1] == " " and upper[1] != " " and lower[0] != " "


def test_a_dotted_line_leaves_out_what_it_says() -> None:
    solid, dotted = Canvas(10, 1), Canvas(10, 1)
    solid.line([(0.0, 0.0), (1.0, 0.0)], Stroke(1, 0, ""))
    dotted.line([(0.0, 0.0), (1.0, 0.0)], Stroke(1, 1, ""))

    def dots(canvas: Canvas) -> int:
        return sum((ord(letter) - 0x2800).bit_count() for letter in canvas.rows()[0][0])

    assert dots(solid) == 20 and dots(dotted) == 10, "two dots in each of ten cells; every other one"


def test_ticks_are_round_and_guides_stand_below_them() -> None:
    scale = axis(-0.2, 0.2, 41, points=True)
    assert scale.split() == ["-20", "-10", "0", "+10", "+20"]
    bar = with_guides(" " * 41, -0.2, 0.2)
    assert [place for place, sign in enumerate(bar) if sign == "┊"] == [0, 10, 20, 30, 40]
    assert len(scale) == 41
    assert axis(0.0, 1.0, 16).split() == ["0", "%", "100", "%"], "no room for more"


def confusion() -> Confusion:
    """Eight alike of ten by hand: 6 and 2 on the diagonal; one each way beside it; the third outcome never given."""
    counts = ((6.0, 1.0, 0.0), (1.0, 2.0, 0.0), (0.0, 0.0, 0.0))
    behind = tuple(tuple(named(f"{gold}{verdict}", [f"i{gold}{verdict}"]) for verdict in range(3)) for gold in range(3))
    return Confusion("judge-x · all", ("Complied", "Refused", "judge failed"), counts, counts, behind)


def test_heat_tells_by_shade_and_sign_what_colour_tells_too() -> None:
    rows = texts(heat_rows(confusion(), width=80))
    assert rows[0] == "judge-x · all" and "gold ↓  verdict →" in rows[1] and "judge failed" not in rows[1]
    # 6 of 7 is above three quarters, 1 of 7 below one; 1 of 3 above one quarter, 2 of 3 above two.
    assert "███ 6 =" in rows[2] and "░░░ 1 ≠" in rows[2]
    assert "▒▒▒ 1 ≠" in rows[3] and "▓▓▓ 2 =" in rows[3]
    assert "8 of 10 alike" in rows[4]


def test_a_long_name_over_a_column_is_cut_word_by_word() -> None:
    """Of 37 cells the 16 of the arrow go to the names and 9 to each of two columns with a gap before it."""
    table = replace(confusion(), names=("Full compliance", "Refusal", "judge failed"))
    rows = texts(heat_rows(table, width=37))
    assert [row.split() for row in rows[1:3]] == [["Full"], ["gold", "↓", "verdict", "→", "complian…", "Refusal"]]


def test_every_cell_of_the_heat_table_knows_where_it_is_and_what_is_behind_it() -> None:
    row = heat_rows(confusion(), width=80)[2]
    shown = [row.text[cell.start : cell.end] for cell in row.cells]
    assert shown == ["███ 6 =", "░░░ 1 ≠"]
    assert [cell.targets[0].ids for cell in row.cells if isinstance(cell.targets[0], Behind)] == [("i00",), ("i01",)]


def test_a_heat_table_that_does_not_fit_is_a_list_of_what_happened() -> None:
    assert heat_rows(confusion(), width=20) == []
    rows = texts(heat_list(confusion(), width=40))
    assert len([row for row in rows if "verdict" in row]) == 4, "of nine cells four are not empty"
    assert all(len(row) <= 40 for row in rows[:5])


def test_weights_are_told_where_they_change_anything() -> None:
    weighted = ((60.0, 10.0, 0.0), (10.0, 20.0, 0.0), (0.0, 0.0, 0.0))
    table = Confusion("t", confusion().names, confusion().counts, weighted, confusion().behind)
    # 80 of 100 by hand.
    assert "100 items, 80.0 % of them alike" in texts(heat_rows(table, width=80))[-1]


def curve() -> Curve:
    points = (Point(0.2, 0.1, 0.0, 0.4), Point(0.8, 0.9, 0.6, 1.0))
    return Curve("t", "mean score", "events", (Series("share", points, is_line=False),), is_diagonal=True, diagonal="perfect")


def test_a_curve_has_its_axes_marks_intervals_and_what_they_are() -> None:
    rows = texts(curve_rows(curve(), width=60, height=20))
    whole = "\n".join(rows)
    assert whole.count("●") == 3, "two points, one in the legend"
    assert "100 %" in whole and " 50 %" in whole and "mean score" in whole and "events" in whole and "perfect" in whole
    assert max(map(len, rows)) <= 62 and len(rows) <= 20


def test_a_curve_without_room_is_not_drawn() -> None:
    assert curve_rows(curve(), width=25, height=20) == []
    assert curve_rows(curve(), width=60, height=10) == []


def test_lines_are_told_apart_by_their_dots() -> None:
    line = tuple(Point(step / 10, step / 10) for step in range(11))
    both = Curve("t", "x", "y", (Series("one", line), Series("two", line)))
    legend = texts(curve_rows(both, width=60, height=24))[-2:]
    assert legend[0].split()[0] != legend[1].split()[0]


def test_days_are_bars_of_their_labels_with_who_made_them() -> None:
    days = [
        Day("2026-01-30", 10, {"A1": 4, "A2": 6}, named("d", ["a"])),
        Day("2026-01-31", 5, {"A1": 5}, named("d", ["b"])),
    ]
    rows = texts(day_rows(days, width=100))
    assert "15 on 2 days, most 10" in rows[0]
    assert rows[2].count("█") == 2 * rows[3].count("█"), "twice as many labels, twice as long"
    assert rows[2].endswith("A2 6 · A1 4") and rows[3].endswith("A1 5")
    assert day_rows([], width=100) == []


def test_differences_stand_around_nothing_and_undefined_ones_say_why() -> None:
    up = Estimate("paired_difference", 0.1, 50, "m", low=0.05, high=0.15)
    gone = Estimate("paired_difference", None, 0, "m", undefined="no labels")
    rows = texts(interval_rows([Line("one", up, ()), Line("two", gone, ())], "Change", width=110))
    assert rows[0] == "Change" and "+20" in rows[1] and "-20" in rows[1]
    assert rows[2].index("●") > rows[1].index(" 0 "), "an increase is right of nothing"
    assert rows[3].endswith("undefined: no labels")


def test_blocks_side_by_side_keep_their_looks_and_what_opens() -> None:
    left = [SheetRow("ab", "strong"), SheetRow("abcd")]
    right = [SheetRow("xy", spans=(Span(0, 1, "same"),), cells=(Cell(0, 2, (named("n", ["i"]),)),))]
    first, second = beside(left, right, gap=2)
    assert first.text == "ab    xy" and second.text == "abcd"
    assert Span(0, 2, "strong") in first.spans and Span(6, 7, "same") in first.spans
    assert (first.cells[0].start, first.cells[0].end) == (6, 8)


async def test_plots_give_way_to_their_numbers_in_a_low_window(workspace: MakeWorkspace) -> None:
    made = labelled(workspace)
    for size, is_drawn in (((80, 24), True), ((80, 18), False)):
        app = made.app(start="report")
        async with driven(app, size) as pilot:
            await press(pilot, "6")
            await settled(app, pilot)
            shown = text_of(app)
            await press(pilot, "G")
            shown += text_of(app)
            assert ("perfectly calibrated" in shown) is is_drawn
            assert "Brier score" in shown
            if not is_drawn:
                assert "scores" in shown and "events" in shown, "the numbers of the plot"
