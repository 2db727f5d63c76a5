"""The table of keys: one meaning per key and place, every command told, bars and help derived from it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import get_args

import pytest
from textual.actions import parse
from textual.binding import Binding

from adjudicate.tui.key_gate import KeyGate
from adjudicate.tui.keys import COMMANDS, Place, bindings_for, commands_of, help_rows
from adjudicate.tui.theme import DARK, LIGHT, WITHOUT_COLOUR, theme_for
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, driven, press, text_of


@pytest.mark.parametrize("place", get_args(Place))
def test_no_key_means_two_things_in_one_place(place: Place) -> None:
    keys = Counter(key for command in commands_of(place) for key in command.keys.split(","))
    assert [key for key, times in keys.items() if times > 1] == []


def test_ids_are_unique_and_every_binding_carries_its_own() -> None:
    ids = [command.id for command in COMMANDS]
    assert len(set(ids)) == len(ids)
    bindings = [each for each in bindings_for("label") if isinstance(each, Binding)]
    assert all(binding.id for binding in bindings)


def test_labelling_help_tells_every_key_of_the_design() -> None:
    told = " ".join(keys for keys, _ in help_rows("label")).split()
    for key in ("1-9", "enter", "a", "x", "u", "backspace", "s", "S", "f", "c", "l", "i", "p", "space", "b", "j", "k"):
        assert key in told
    for key in ("g", "G", "[", "]", "n", "N", "/", ":", "?", "q"):
        assert key in told


def test_a_remapped_key_acts_and_is_shown(workspace: MakeWorkspace) -> None:
    """Declared ids make every key remappable; the bar shows the key that acts."""

    async def drive() -> None:
        made = workspace()
        app = made.app()
        app.set_keymap({"label.skip": "z"})
        async with driven(app) as pilot:
            assert "z skip" in text_of(app)
            await press(pilot, "z")
            assert made.events() == [("skip", None, None)]

    import asyncio

    asyncio.run(drive())


async def test_the_bar_always_has_help_and_the_way_out(workspace: MakeWorkspace) -> None:
    app = workspace().app()
    async with driven(app, NARROW):
        bar = text_of(app).split("\n")[-1]
        assert "? help" in bar and "q quit" in bar and "1-9 outcome" in bar


def test_bursts_are_no_hand_and_pass() -> None:
    gate = KeyGate(lambda: 0.0)
    assert [gate.is_burst(number * 0.002) for number in range(6)] == [False, False, False, True, True, True]
    assert not gate.is_burst(0.5)
    typed = [number * 0.05 for number in range(20)]
    slow = KeyGate(lambda: 0.0)
    assert not any(slow.is_burst(at) for at in typed)
    assert all(later > earlier for earlier, later in pairwise(typed))


def test_theme_follows_the_terminal() -> None:
    assert theme_for({}) == DARK.name
    assert theme_for({"COLORFGBG": "0;15"}) == LIGHT.name
    assert theme_for({"NO_COLOR": "1", "COLORFGBG": "0;15"}) == WITHOUT_COLOUR


def test_every_action_is_read_before_any_other_thread_can_run(workspace: MakeWorkspace) -> None:
    """Read later, beside a thread that reads Python syntax too, one could fail (python/cpython issue 106905)."""
    parse.cache_clear()
    workspace().app()
    before = parse.cache_info().misses
    for command in COMMANDS:
        parse(command.action)
    assert before and parse.cache_info().misses == before
