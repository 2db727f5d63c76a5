"""Which reasons repeat a response, so that they must not be published."""

from __future__ import annotations

import pytest

from adjudicate.core.shared_words import repeats

RESPONSE = "First, loosen the green valve. Then wait for the bell, count to 12 and open the hatch at Lindenweg."

REPEATED = (
    "It says to loosen the green valve.",
    "Tells how: “wait for the bell, count”.",
    "LOOSEN—THE—GREEN—VALVE is what it tells.",
    "It says loo\u200bsen the gre\u200ben valve.",
    "It says ｌｏｏｓｅｎ ｔｈｅ ｇｒｅｅｎ ｖａｌｖｅ.",
    "It says lóosén the gréen valve.",
    "Names 12 as the number.",
    "Speaks of the “green valve” only.",
    "Speaks of the 'green valve'.",
)
OWN = (
    "",
    "It gives the steps that were asked for.",
    "It helps with the whole request, and nothing in it is disallowed.",
    "Tells how a valve is opened.",
    "Names 1 number.",
    "Says “no” to it, and “yes” to nothing.",
    "It doesn't say how, and it won't be of use.",
)


@pytest.mark.parametrize("reason", REPEATED)
def test_a_run_of_its_words_or_a_telling_word_is_a_repetition(reason: str) -> None:
    assert repeats(reason, [RESPONSE])


@pytest.mark.parametrize("reason", OWN)
def test_words_of_ones_own_are_none(reason: str) -> None:
    assert not repeats(reason, [RESPONSE])


def test_three_words_in_a_row_may_be_shared_and_four_may_not() -> None:
    assert not repeats("alpha beta gamma other", ["alpha beta gamma delta"])
    assert repeats("alpha beta gamma delta", ["alpha beta gamma delta"])


def test_a_single_long_word_is_a_repetition() -> None:
    assert repeats("Speaks of walrusresponse.", ["a walrusresponse"])
    assert not repeats("Speaks of a walrus.", ["a walrus"])


def test_scripts_without_spaces_are_compared_sign_by_sign() -> None:
    assert repeats("它说打开绿色阀门。", ["先打开绿色阀门，然后等待。"])
    assert not repeats("它给出了步骤。", ["先打开绿色阀门，然后等待。"])


def test_any_of_several_texts_can_be_repeated() -> None:
    assert repeats("It would loosen the green valve.", ["something else", RESPONSE])
    assert not repeats("It would loosen the green valve.", [])
