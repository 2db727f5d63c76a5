"""What may reach a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.core.text import hidden_characters, shortened, visible, visible_line


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a\x1b[31mb", "a␛[31mb"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("\x9b31m", "<U+009B>31m"),
        ("nul\x00", "nul␀"),
        ("del\x7f", "del␡"),
        ("\u202enot granted", "<U+202E>not granted"),
        ("pass\u200bword", "pass<U+200B>word"),
        ("\U000e0041", "<U+E0041>"),
        ("\ud800", "<U+D800>"),
        ("a\r\nb\rc", "a\nb␍c"),
        ("a\tb", "a    b"),
        ("line\u2028line", "line<U+2028>line"),
        ("a\u200db", "a<U+200D>b"),
    ],
)
def test_acting_and_hidden_characters_become_stand_ins(raw: str, shown: str) -> None:
    assert visible(raw) == shown


@pytest.mark.parametrize(
    "text",
    ["plain", "naïve café", "👩‍👧", "1️⃣", "می‌خواهم", "हिन्दी क्‍ष", "שלום", "مرحبا بالعالم", "日本語", "two\nlines", "a\u0301"],
)
def test_ordinary_text_of_any_script_is_left_alone(text: str) -> None:
    assert visible(text) == text
    assert hidden_characters(text) == 0


@given(st.text())
def test_nothing_that_acts_on_a_terminal_survives(text: str) -> None:
    shown = visible(text)
    assert not any(
        (ord(character) < 0x20 and character != "\n") or 0x7F <= ord(character) < 0xA0 or "\u202a" <= character <= "\u202e"
        for character in shown
    )
    assert "\n" not in visible_line(text)


@given(st.text())
def test_showing_twice_changes_nothing_more(text: str) -> None:
    assert visible(visible(text)) == visible(text)


def test_a_tower_of_combining_marks_is_cut_with_its_count() -> None:
    # 300 marks: four are kept, 296 are counted.
    assert visible("x" + "\u0301" * 300) == "x" + "\u0301" * 4 + "<296 more marks>"
    assert hidden_characters("x" + "\u0301" * 300) == 296


def test_tabs_and_line_ends_do_not_count_as_hidden() -> None:
    assert hidden_characters("a\tb\r\nc\x1bd") == 1


def test_shortened_text_stays_on_one_line_within_its_limit() -> None:
    assert shortened("a\nb", 10) == "a␊b"
    assert shortened("x" * 50, 10) == "x" * 9 + "…"
