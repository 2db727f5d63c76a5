"""Clause text in a pane of plain text."""

from __future__ import annotations

from adjudicate.tui.widgets.policy_text import hanging, reflowed


def test_strong_words_lose_their_stars_and_code_keeps_its_own() -> None:
    shown = reflowed("**Allowed:** how it works,\nand why.\n\n```\na **b** c\n```")
    assert shown == "Allowed: how it works, and why.\n\n```\na **b** c\n```"


def test_a_word_that_opens_with_stars_still_begins_a_line() -> None:
    assert reflowed("First rule.\n**Second:** rule.").split("\n") == ["First rule.", "Second: rule."]


def test_what_is_indented_stays_so_when_it_wraps() -> None:
    rows = [(each.text, each.indent) for each in hanging("1  Refusal\n   Declines.")]
    assert rows == [("1  Refusal", ""), ("Declines.", "   ")]
