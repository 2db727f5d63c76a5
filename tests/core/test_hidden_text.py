"""What a text hides: where, and by which characters."""

from __future__ import annotations

from adjudicate.core.hidden_text import Oddity, character_name, hidden_places, lookalike_words
from adjudicate.core.text import hidden_characters


def test_places_are_told_by_line_and_character() -> None:
    """Two next to one another are one place; tabs and line ends are none."""
    text = "ab\u202ec\r\n\tx\u200b\u200by\n\x1b"
    assert list(hidden_places(text)) == [Oddity(2, 3, 1, 3), Oddity(8, 10, 2, 3), Oddity(12, 13, 3, 1)]


def test_places_hold_as_many_characters_as_are_counted() -> None:
    text = "\u202ea\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030a\u00ad\x00 b\ud800"
    assert sum(place.end - place.start for place in hidden_places(text)) == hidden_characters(text)


def test_a_text_that_hides_nothing_has_no_place() -> None:
    assert list(hidden_places("plain\ttext\r\nна русском 👩\u200d👩")) == []


def test_words_of_two_scripts_that_look_alike_are_found_whole() -> None:
    text = "ok\nthe p\u0430yp\u0430l page and \u0421SS"
    assert [text[word.start : word.end] for word in lookalike_words(text)] == ["p\u0430yp\u0430l", "\u0421SS"]
    assert [(word.line, word.column) for word in lookalike_words(text)] == [(2, 5), (2, 21)]


def test_words_of_one_script_and_units_are_not_suspected() -> None:
    assert lookalike_words("Москва, Αθήνα, 5 μg, 3 kΩ, naïve") == []


def test_every_character_has_a_name() -> None:
    assert character_name("\u200b") == "U+200B ZERO WIDTH SPACE"
    assert character_name("\x1b") == "U+001B ESCAPE"
    assert character_name("\x02") == "U+0002 control character or no character"
