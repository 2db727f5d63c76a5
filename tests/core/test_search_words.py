"""Words that somebody looks for: whatever is typed goes in as a quoted string, and what no index knows is read."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.core.search_words import Word, plan


def matches(expression: str, text: str) -> bool:
    """What SQLite itself makes of the expression."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(text)")
    connection.execute("INSERT INTO t VALUES (?)", (text,))
    return connection.execute("SELECT 1 FROM t WHERE t MATCH ?", (expression,)).fetchone() is not None


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=12), min_size=1, max_size=4), st.booleans())
def test_nothing_typed_is_an_operator_or_an_error(words: list[str], is_begun: bool) -> None:
    asked = plan([Word(word, is_begun=is_begun) for word in words])
    if asked.expression:
        matches(asked.expression, "any text at all")


@pytest.mark.parametrize("word", ["OR", "NOT", "NEAR(a", 'a" OR "b', "text:x", "^start", "a*", "(", "-b"])
def test_operators_are_looked_for_as_they_stand(word: str) -> None:
    """Unquoted, each would be an operator or an error; none finds a text that does not hold its letters."""
    asked = plan([Word(word)])
    if asked.expression:
        assert not matches(asked.expression, "quite another matter")
    else:
        assert asked.parts == (word.casefold(),)


def test_all_words_have_to_be_there_and_the_last_may_be_a_beginning() -> None:
    asked = plan([Word("shade"), Word("wat", is_begun=True)])
    assert matches(asked.expression, "rest in the shade with water")
    assert not matches(asked.expression, "rest in the sun with water")
    assert not matches(plan([Word("wat")]).expression, "water")


def test_one_letter_is_no_beginning() -> None:
    assert plan([Word("w", is_begun=True)]).expression == '"w"'


def test_a_phrase_keeps_its_order() -> None:
    expression = plan([Word("first aid")]).expression
    assert matches(expression, "some first aid helps") and not matches(expression, "aid comes first")


@pytest.mark.parametrize("word", ["日光", "น้ำ", "?!", "::"])
def test_what_an_index_of_words_cannot_answer_is_read(word: str) -> None:
    asked = plan([Word("rest"), Word(word)])
    assert asked.expression == '"rest"' and asked.parts == (word.casefold(),)
    holds = asked.holds
    assert holds is not None
    assert holds(f"long{word}text", None) and holds("", f"a{word}") and not holds("other", "words")


def test_without_an_index_everything_is_read() -> None:
    asked = plan([Word("Heat"), Word("sha", is_begun=True)], has_index=False)
    assert asked.expression == "" and asked.holds is not None
    assert asked.holds("Shade against HEAT", "") and not asked.holds("Shade", "")
