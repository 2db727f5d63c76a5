"""The judges of the hostile walks: what they let pass and what they tell off."""

from __future__ import annotations

import pytest

from tests.end_to_end.boxes import boxes
from tests.end_to_end.grid import Grid
from tests.end_to_end.hostile_corpus import SEQUENCES, fuzzed
from tests.end_to_end.stream import told_off

SIZE = (120, 36)
BEGUN = "\x1b[?1049h\x1b[?25l"
ENDED = "\x1b[?1049l\x1b[?25h"
PAINTED = "\x1b[?2026h\x1b[1;1H\x1b[1;38;2;1;2;3;48;2;4;5;6m╭─ é ─╮\x1b[0m\r\n\x1b7  \x1b8\x1b7⚠️\x1b8\x1b[2C\x1b[?2026l"
FRAME = "╭─ a ─╮╭──╮\r\n│ x   ││  │\r\n╰─────╯╰──╯"


def test_what_textual_paints_passes_and_the_title_only_as_told() -> None:
    assert told_off(f"\x1b]2;heat – adjudicate\x07{PAINTED}", ["heat – adjudicate"], SIZE) == []
    assert told_off("\x1b]2;OWNED\x07", ["heat – adjudicate"], SIZE) == [repr("\x1b]2;OWNED\x07")]


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_every_sequence_of_the_corpus_is_told_off(sequence: str) -> None:
    assert told_off(f"{BEGUN}{PAINTED}{sequence}{PAINTED}{ENDED}", [], SIZE) != []


@pytest.mark.parametrize("character", ["\u202e", "\u200b", "\u00ad", "\x07", "\x00", "\x9b", "\u2028", "\ufeff", "\x7f"])
def test_every_character_that_acts_or_hides_is_told_off(character: str) -> None:
    assert told_off(f"a{character}b", [], SIZE) != []


def test_a_whole_run_passes_and_its_modes_are_set_once_and_not_by_a_text() -> None:
    assert told_off(BEGUN + PAINTED + ENDED, [], SIZE) == []
    assert told_off(BEGUN + PAINTED + ENDED + ENDED, [], SIZE) != []


def framed(text: str, columns: int = 11) -> list[list[str]]:
    grid = Grid(columns, 3)
    grid.feed("\x1b[1;1H" + text)
    return grid.cells


def test_closed_frames_have_no_faults_and_a_shifted_side_is_one() -> None:
    assert [(box.left, box.right, box.faults) for box in boxes(framed(FRAME))] == [(0, 6, ()), (7, 10, ())]
    # The picture takes two cells where one was reckoned with: the side is one further on.
    shifted = boxes(framed(FRAME.replace("x", "漢"), 12))
    assert [bool(box.faults) for box in shifted] == [True, True]


def test_a_wide_character_that_is_overwritten_by_half_is_gone() -> None:
    assert framed("漢字\x1b[1;2Hx")[0][:4] == [" ", "x", "字", ""]


def test_fifty_texts_are_the_same_every_time_and_have_every_kind_of_trouble() -> None:
    texts = fuzzed()
    assert texts == fuzzed() and len(set(texts)) == 50
    together = "".join(texts)
    for kind in ("\x1b]52;", "\x1b]8;", "\x9b", "\u202e", "\u200b", "[red]", "[/nope]", "漢", "👩‍👩‍👧‍👦", "\x00"):
        assert kind in together, repr(kind)
    assert max(map(len, texts)) >= 20_000
