"""Wrapping and showing text: no row is wider than its pane, nothing is lost, stand-ins are counted."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from adjudicate.core.text import visible
from adjudicate.tui.widgets import item_text
from adjudicate.tui.widgets.interval_bar import interval_bar, progress_bar
from adjudicate.tui.widgets.line_wrap import wrap
from adjudicate.tui.widgets.policy_text import reflowed
from adjudicate.tui.widgets.rate_rows import scale
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, WIDE, driven, labelling, press, text_of
from tests.tui.factory import Row


@pytest.mark.parametrize(
    "text",
    [
        "plain words that need to be broken somewhere near the end of the row",
        "averyveryverylongwordwithoutanyblankthatcannotbebrokenatablank and more",
        "字字字字字字字字字字字字字字字字字字字字 mixed 字字字字",
        "สวัสดีครับผมชื่อ नमस्ते दुनिया 👩‍👩‍👧‍👦 🇩🇪 e\u0301e\u0301e\u0301 " * 4,
        "  indented\n\n   list\n",
    ],
)
@pytest.mark.parametrize("width", [2, 7, 20, 90])
def test_rows_fit_and_lose_nothing_but_blanks(text: str, width: int) -> None:
    rows = wrap(text, width)
    assert all(cell_len(row.removesuffix(" ")) <= width for row in rows)
    assert "".join(rows).replace(" ", "") == text.replace(" ", "").replace("\n", "")
    assert len(rows) >= text.count("\n") + 1


def test_a_megabyte_wraps_whole() -> None:
    assert len(wrap("word " * 200_000, 90)) > 10_000
    assert len(wrap("字" * 330_000, 90)) > 7_000
    assert len(wrap("\n" * 1_000_000, 90)) == 1_000_001


async def test_stand_ins_are_shown_styled_and_counted(workspace: MakeWorkspace) -> None:
    """A stand-in that the text itself spells out is counted apart, so that nobody is fooled by it."""
    app = workspace([Row(response="a\u202eb \x1b[31m and <U+202E> by hand")]).app()
    async with driven(app):
        shown = text_of(app)
        assert "a<U+202E>b ␛[31m and <U+202E> by hand" in shown
        assert "! 2 hidden characters shown" in shown and "1 written out" in shown
        strip = labelling(app).pane("response").render_line(0)
        reversed_text = [segment.text for segment in strip if segment.style and segment.style.reverse]
        assert reversed_text[:2] == ["<U+202E>", "␛"]


def test_titles_say_what_is_hidden() -> None:
    assert item_text._hidden_words(1, "x") == ["! 1 hidden character shown"]
    assert item_text._hidden_words(0, "plain <b>") == []


def test_bars_stay_on_their_scale() -> None:
    assert interval_bar(0.5, 0.25, 0.75, top=1.0, width=9) == "  ├─●─┤  "
    assert interval_bar(None, None, None, top=1.0, width=4) == "    "
    assert interval_bar(2.0, 1.5, 3.0, top=1.0, width=4) == "   ●"
    assert progress_bar(0, 0, 4) == "────" and progress_bar(3, 3, 4) == "━━━━" and progress_bar(99, 100, 4) == "━━━─"
    assert scale([]) == 1.0


def test_policy_paragraphs_are_joined_and_lists_are_not() -> None:
    text = "One line\nand the next.\n\n- a\n- b\n  more\n\n```\ncode\nstays\n```\nafter"
    assert reflowed(text).split("\n") == [
        "One line and the next.", "", "- a", "- b", "  more", "", "```", "code", "stays", "```", "after",
    ]  # fmt: skip


def test_visible_text_is_printable() -> None:
    assert all(row.isprintable() for row in wrap(visible("\x1b]0;t\x07 \u202e \x9b \t"), 20))


async def test_a_resize_begins_again_where_the_text_began_until_somebody_scrolls(workspace: MakeWorkspace) -> None:
    turns = [["user", "What helps in the heat?"], ["assistant", "Shade. " * 60], ["user", "And in the cold?"]]
    async with driven(workspace([Row(messages=turns)]).app(), WIDE) as pilot:
        prompt = labelling(pilot.app).pane("prompt")
        assert "[3] user" in text_of(pilot.app)
        await pilot.resize_terminal(*NARROW)
        await pilot.pause()
        assert "[3] user" in text_of(pilot.app)
        await press(pilot, "left_square_bracket")
        await press(pilot, "tab")
        await pilot.resize_terminal(*WIDE)
        await pilot.pause()
        assert prompt.paragraph_at_top() < 4, "the turn that was gone back to, not the last one"


async def test_a_pane_that_shows_nothing_says_of_no_key_what_it_does_there(workspace: MakeWorkspace) -> None:
    async with driven(workspace().app(annotator="nobody-invited"), WIDE) as pilot:
        assert "Nothing is on your list" in text_of(pilot.app)
        assert "digit saves" not in text_of(pilot.app) and "p all clauses" not in text_of(pilot.app)
