"""Signs that terminals give different widths: one character each for Textual, anchored for the terminal."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.strip import Strip

from adjudicate.tui.steady_cells import NOTHING_LEFT, PLACES, SteadyCells
from tests.end_to_end.grid import Grid

BLACK = Color(0, 0, 0)
SIGNS = ("⚠️", "1️⃣", "☺️", "👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "🪿", "षि", "กำ", "각")


def filtered(steady: SteadyCells, text: str) -> str:
    return "".join(segment.text for segment in steady.apply([Segment(text)], BLACK))


@pytest.mark.parametrize("text", ["plain", "naïve café", "漢字 한국어", "│ ✓ ▸ ●", "שלום", "e\u0301 z\u0323"])
def test_text_that_all_terminals_lay_out_alike_stays_as_it_is(text: str) -> None:
    steady = SteadyCells()
    assert filtered(steady, text) == text
    assert steady.write_out(text) == text


@pytest.mark.parametrize("sign", SIGNS)
def test_a_sign_is_one_character_of_its_width_and_comes_out_whole(sign: str) -> None:
    steady = SteadyCells()
    inside = filtered(steady, f"a{sign}b")
    assert cell_len(inside) == cell_len(f"a{sign}b")
    # A sign of several letters may come out in parts, each anchored.
    assert set(sign) <= set(steady.write_out(inside))
    # A second time, as for a widget that lies in another.
    assert filtered(steady, inside) == inside


@pytest.mark.parametrize("sign", SIGNS)
def test_what_follows_a_sign_stands_where_textual_takes_it_to_be(sign: str) -> None:
    """On a terminal that counts the cells of each character by itself, and so takes one, three or eight for a sign of two."""
    steady = SteadyCells()
    grid = Grid(20, 1)
    grid.feed("x" * 20)
    grid.feed("\x1b[1;1H" + steady.write_out(filtered(steady, f"a{sign}|")))
    assert grid.cells[0][cell_len(f"a{sign}")] == "|"


def test_a_line_cut_anywhere_keeps_its_width() -> None:
    text = "a🏳️‍🌈b⚠️c👍🏽"
    strip = Strip(SteadyCells().apply([Segment(text)], BLACK))
    assert strip.cell_length == cell_len(text)
    for cut in range(strip.cell_length):
        parts = strip.divide([cut, strip.cell_length])
        assert sum(cell_len(part.text) for part in parts) == strip.cell_length, cut


def test_when_all_stand_ins_are_taken_the_rest_is_shown_as_unknown_in_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = PLACES[2]
    monkeypatch.setitem(PLACES, 2, (first, first))
    steady = SteadyCells()
    assert filtered(steady, "👍🏽") == chr(first)
    assert filtered(steady, "⚠️") == NOTHING_LEFT * 2
    assert filtered(steady, "👍🏽") == chr(first)


def test_a_foreign_text_cannot_have_a_sign_written_that_was_never_shown() -> None:
    assert SteadyCells().write_out(chr(PLACES[1][0])) == NOTHING_LEFT
