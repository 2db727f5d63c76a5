"""Texts compared word by word: marks without colour, line breaks of the file ignored, paragraphs and lists kept."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from adjudicate.core.word_changes import MOST, marked

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "\n", "\n\n", "- "]), max_size=30).map(" ".join)


def test_words_taken_out_and_put_in_are_marked() -> None:
    assert marked("Say no and stop.", "Say no, and offer help.") == "Say [-no-] {+no,+} and [-stop.-] {+offer help.+}"
    assert marked("one two three", "one three") == "one [-two-] three"


def test_a_file_wrapped_otherwise_is_the_same_text() -> None:
    assert "[-" not in marked("one two\nthree four", "one two three\nfour") + marked("a\n`b` c", "a `b`\nc")


def test_paragraphs_and_lists_keep_their_lines_and_marks_stay_inside_one() -> None:
    text = marked("Rules:\n- one\n- two", "Rules:\n- one\n- three\n\nThe end.")
    assert text == "Rules:\n- one\n- [-two-] {+three+}\n\n{+The end.+}"


def test_long_texts_are_compared_by_lines() -> None:
    """Word by word, a million words would take minutes."""
    long = "\n".join(f"line {number} of many words" for number in range(MOST // 4))
    assert marked(long, long.replace("line 7 of", "line seven of")).count("[-") == 1


@given(TEXTS, TEXTS)
def test_without_what_is_new_and_without_what_is_gone_the_two_texts_are_left(before: str, after: str) -> None:
    shown = marked(before, after)
    old = re.sub(r"\{\+.*?\+\}", "", shown, flags=re.DOTALL).replace("[-", "").replace("-]", "")
    new = re.sub(r"\[-.*?-\]", "", shown, flags=re.DOTALL).replace("{+", "").replace("+}", "")
    assert old.split() == before.split()
    assert new.split() == after.split()
