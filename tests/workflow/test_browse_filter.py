"""The filter line: what it understands, and what it refuses in words that say what to do."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicate.core.search_words import Word
from adjudicate.errors import UsageError
from adjudicate.workflow.browse_filter import KEYS, matching, parse


def test_keys_narrow_values_widen_and_the_rest_is_words() -> None:
    wanted = parse("population:harmful verdict:refusal,partial open:YES longer:2000 lock pick")
    assert wanted.said == (
        ("population", ("harmful",)),
        ("verdict", ("refusal", "partial")),
        ("open", ("yes",)),
        ("longer", ("2000",)),
    )
    assert wanted.words == (Word("lock"), Word("pick", is_begun=True))
    assert wanted.hides and not parse("lang:de lock").hides


def test_quotes_keep_spaces_together() -> None:
    wanted = parse('category:"first aid","other one" "red flag" end ')
    assert wanted.values("category") == ("first aid", "other one")
    assert wanted.words == (Word("red flag"), Word("end"))


def test_short_names_and_several_mentions_of_one_key() -> None:
    assert parse("lang:de pop:benign outcome:refusal lang:fr").said == (
        ("population", ("benign",)),
        ("language", ("de", "fr")),
        ("gold", ("refusal",)),
    )


def test_an_empty_line_wants_everything() -> None:
    assert parse("   ").is_empty and parse("").is_empty


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("colour:red", "colour: no such key"),
        ("https://example.org", 'in "quotes" it is a word'),
        ("verdict:", "verdict: of what?"),
        ("longer:many", "longer: takes a number of characters, not 'many'"),
        ("longer:-5", "longer: takes a number"),
        ("longer:1,2", "longer: takes one value"),
        ("open:maybe", "open: takes yes or no, not 'maybe'"),
        ("flagged:yes,no", "flagged: takes one value"),
    ],
)
def test_what_cannot_be_read_is_said(line: str, words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        parse(line)


@given(st.text())
def test_any_line_is_read_or_refused_in_words(line: str) -> None:
    said = ""
    try:
        assert {key for key, _ in parse(line).said} <= set(KEYS)
    except UsageError as problem:
        said = str(problem)
    assert said.isprintable()


def test_a_value_is_the_name_itself_or_all_that_begin_with_it() -> None:
    known = dict.fromkeys(("harmful/direct", "harmful/indirect", "harmful", "benign"))
    assert matching("population", "HARMFUL", known) == ["harmful"]
    assert matching("population", "harmful/", known) == ["harmful/direct", "harmful/indirect"]
    with pytest.raises(UsageError, match="population: nothing here begins with 'x'; there is benign, harmful"):
        matching("population", "x", known)


def test_hostile_names_are_shown_and_never_act() -> None:
    with pytest.raises(UsageError) as refused:
        matching("model", "\x1b[31m", {"a\x1b]0;X\x07": None})
    assert str(refused.value).isprintable()
