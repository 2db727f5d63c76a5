"""The keyboard audit, over the whole table: nothing needs a mouse, the help tells exactly what works, no key does two things."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import get_args

import pytest
from textual.binding import Binding
from textual.screen import Screen

from adjudicate.tui import screens
from adjudicate.tui.app import SCREENS_BY_NAME, TITLES, AdjudicateApp, PlaceName
from adjudicate.tui.keymap import FIXED, keymap, presets
from adjudicate.tui.keys import KEY_NAMES, PLACES, TYPING, Place, bindings_for, commands_of, help_rows, written
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.tui.widgets.line_view import LineView
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import driven, press

EVERY_PLACE = get_args(Place)
DIGITS = tuple("123456789")
TEXTUALS_OWN = frozenset({"super+c"})
"""Of a terminal on a Mac that sends it: the same as ctrl+c."""


def screen_classes() -> Iterator[type[Screen[object]]]:
    """Every screen and dialog of the package."""
    for module in pkgutil.iter_modules(screens.__path__):
        loaded = importlib.import_module(f"{screens.__name__}.{module.name}")
        for value in vars(loaded).values():
            if isinstance(value, type) and issubclass(value, Screen) and value.__module__ == loaded.__name__:
                yield value


def ids_of(bindings: object) -> frozenset[str]:
    found = bindings if isinstance(bindings, list) else []
    return frozenset(each.id for each in found if isinstance(each, Binding) and each.id)


CLASSES: dict[Place, list[type[Screen[object]]]] = {
    place: [each for each in screen_classes() if ids_of(vars(each).get("BINDINGS")) == ids_of(bindings_for(place))]
    for place in EVERY_PLACE
}


def told(rows: list[tuple[str, str]]) -> list[str]:
    """The keys that the help tells, by Textual's names; ``1-9`` stands for nine."""
    back = {shown: name for name, shown in KEY_NAMES.items()}
    keys = chain.from_iterable(DIGITS if key == "1-9" else [key] for row, _ in rows for key in row.split())
    return [back.get(key, key) for key in keys]


def acting(place: Place) -> list[str]:
    """The keys of the table, a capital once; the tenth section is told in words."""
    keys = [key for command in commands_of(place) for key in command.keys.split(",")]
    return [
        key
        for key in keys
        if not (key.startswith("shift+") and key[6:].upper() in keys) and not (place == "report" and key == "0")
    ]


@pytest.mark.parametrize("place", EVERY_PLACE)
def test_every_place_is_a_screen_whose_every_key_has_something_to_call(place: Place) -> None:
    assert CLASSES[place], f"no screen binds the keys of {place}"
    for screen in CLASSES[place]:
        for command in commands_of(place):
            name = command.action.partition("(")[0]
            owner, _, method = name.rpartition(".")
            target = AdjudicateApp if owner == "app" else screen
            assert callable(getattr(target, f"action_{method}", None)), (place, command.id, command.action)


@pytest.mark.parametrize("place", EVERY_PLACE)
def test_no_key_does_two_things_in_one_place(place: Place) -> None:
    keys = Counter(key for command in commands_of(place) for key in command.keys.split(","))
    assert {key: times for key, times in keys.items() if times > 1} == {}


@pytest.mark.parametrize("place", EVERY_PLACE)
def test_the_help_tells_every_key_once_and_none_that_is_not_there(place: Place) -> None:
    assert sorted(told(list(help_rows(place)))) == sorted(acting(place))


@pytest.mark.parametrize("preset", presets())
@pytest.mark.parametrize("place", EVERY_PLACE)
def test_with_a_preset_the_help_tells_the_keys_as_they_are_then(place: Place, preset: str) -> None:
    moved = keymap({"preset": preset})
    keys = [key for command in commands_of(place) for key in written(moved.get(command.id, command.keys))]
    shown = told(list(help_rows(place, moved)))
    if place == "report":
        keys.remove("0")
    assert sorted(shown) == sorted({value: name for name, value in KEY_NAMES.items()}.get(key, key) for key in keys)


@pytest.mark.parametrize("place", EVERY_PLACE)
def test_every_command_says_what_it_does_or_belongs_to_one_that_does(place: Place) -> None:
    assert all(sentence.endswith(".") for _, sentence in help_rows(place))


@pytest.mark.parametrize("place", TYPING)
def test_where_text_is_typed_no_printing_key_is_a_command(place: Place) -> None:
    assert [key for command in commands_of(place) for key in command.keys.split(",") if len(key) == 1] == []


def test_the_way_out_and_the_way_to_help_are_in_every_main_screen() -> None:
    for place in PLACES:
        assert {"back", "help", "quit", "palette", "suspend"} <= {command.id for command in commands_of(place)}
    assert {"back", "help", "quit"} <= FIXED


def test_every_screen_can_be_reached_from_every_other_by_the_palette() -> None:
    assert TITLES.keys() == SCREENS_BY_NAME.keys()


@pytest.mark.parametrize("place", get_args(PlaceName))
async def test_on_the_real_screen_exactly_the_keys_of_the_table_act(workspace: MakeWorkspace, place: PlaceName) -> None:
    """Nothing in between takes a key away, and nothing unsaid acts: widgets and Textual's own bindings included."""
    app = workspace().app(start=place)
    async with driven(app) as pilot:
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, Workplace)
        by_key = {key: command for command in commands_of(screen.PLACE) for key in command.keys.split(",")}
        active = {key: binding.binding for key, binding in screen.active_bindings.items()}
        assert active.keys() - by_key.keys() - TEXTUALS_OWN == set()
        assert by_key.keys() - active.keys() == set()
        # Textual's own ctrl+q and ctrl+p act before any screen, and do the same.
        same = {"app.quit": "quit", "app.command_palette": "command_palette"}
        for key, command in by_key.items():
            assert active[key].action in (command.action, same.get(command.action)), key


@pytest.mark.parametrize("place", get_args(PlaceName))
async def test_the_palette_offers_every_command_of_the_screen(workspace: MakeWorkspace, place: PlaceName) -> None:
    app = workspace().app(start=place)
    async with driven(app):
        offered = {command.help for command in app.get_system_commands(app.screen)}
        for command in commands_of(place):
            digits = command.id.startswith(("outcome.", "pane.")) or command.id == "palette"
            reading = command.id.startswith("read.")
            assert digits or reading or not command.words or command.help in offered, command.id
        assert {f"Go to {title}" for title, _ in TITLES.values()} <= {each.title for each in app.get_system_commands(app.screen)}


@pytest.mark.parametrize("place", get_args(PlaceName))
async def test_a_question_mark_shows_the_help_of_this_screen_and_a_key_leads_back(
    workspace: MakeWorkspace, place: PlaceName
) -> None:
    app = workspace().app(start=place)
    async with driven(app) as pilot:
        before = app.screen
        assert isinstance(before, Workplace)
        await press(pilot, "question_mark")
        words = " ".join(paragraph.text for paragraph in app.screen.query_one("#help-text", LineView)._paragraphs)
        for _, sentence in help_rows(before.PLACE):
            assert sentence in words
        for command in commands_of(before.PLACE):
            assert re.search(rf"(?<!\S){re.escape(command.id)}(?!\S)", words), command.id
        await press(pilot, "escape")
        assert app.screen is before
