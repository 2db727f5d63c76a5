"""The keyboard audit, over the whole table: nothing needs a mouse, the help tells exactly what works, no key does two things."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import get_args

import pytest
from textual.binding import Binding
from textual.pilot import Pilot
from textual.screen import Screen

from adjudicate.tui import screens
from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.keymap import FIXED, keymap, presets
from adjudicate.tui.keys import (
    COMMANDS,
    DIALOGS,
    KEY_NAMES,
    PLACES,
    TYPING,
    Place,
    bindings_for,
    commands_of,
    help_rows,
    with_keys,
    written,
)
from adjudicate.tui.places import SCREENS_BY_NAME, TITLES
from adjudicate.tui.screens.help_dialog import HelpDialog
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import press, settled
from tests.tui.places import WAYS, opened, walk

EVERY_PLACE = get_args(Place)
DIGITS = tuple("123456789")
TEXTUALS_OWN = frozenset({"super+c"})
"""Of a terminal on a Mac that sends it: the same as ctrl+c."""
BELOW_DIALOGS: frozenset[str] = frozenset({"ctrl+c", "tab", "shift+tab"})
"""Textual's own, which every screen has: in a dialog they copy what the mouse selected and walk the focus."""
LEAVING = frozenset({"app.quit", "app.suspend_process"})
WRITING = ("adopt.yes", "browse.export", "go.import", "go.draw", "go.open")
"""Commands that write files, or need a question answered before anything can be left again."""


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


def test_every_place_is_opened_by_one_of_these_tests() -> None:
    assert WAYS.keys() == set(EVERY_PLACE)
    assert {*PLACES, *DIALOGS, *TYPING} == set(EVERY_PLACE), "a place is a screen, a dialog, or where text is typed"


def test_every_screen_of_the_package_is_a_place() -> None:
    """But for the bases, which bind nothing."""
    placed = {each for classes in CLASSES.values() for each in classes}
    assert {each.__name__ for each in screen_classes() if "BINDINGS" in vars(each)} == {each.__name__ for each in placed}


@pytest.mark.parametrize("place", EVERY_PLACE)
def test_every_function_of_a_screen_has_a_key(place: Place) -> None:
    """What a class can do beyond its base is in the table: nothing is there for the mouse or for nobody."""
    called = {command.action.partition("(")[0] for command in commands_of(place)}
    for screen in CLASSES[place]:
        own = {name.removeprefix("action_") for name in vars(screen) if name.startswith("action_")}
        assert own - called == set()


def test_every_function_of_the_bases_has_a_key_somewhere() -> None:
    called = {command.action.partition("(")[0] for command in COMMANDS}
    bases = [each for each in screen_classes() if "BINDINGS" not in vars(each)]
    assert len(bases) >= 4
    for base in bases:
        own = {name.removeprefix("action_") for name in vars(base) if name.startswith("action_")}
        assert own - called == set(), base


@pytest.mark.parametrize("preset", presets())
@pytest.mark.parametrize("place", WAYS)
async def test_on_the_real_screen_exactly_the_keys_of_the_table_act(
    workspace: MakeWorkspace, tmp_path: Path, place: Place, preset: str
) -> None:
    """Nothing in between takes a key away, and nothing unsaid acts: widgets and Textual's own bindings included."""
    said = {"preset": preset}
    async with opened(workspace, tmp_path, place, keys=said) as (app, _):
        screen, moved = app.screen, keymap(said)
        assert isinstance(screen, tuple(CLASSES[place]))
        by_key = {key: command for command in commands_of(place) for key in moved.get(command.id, command.keys).split(",")}
        active = {key: binding.binding for key, binding in screen.active_bindings.items()}
        field = set(screen.focused._bindings.key_to_bindings) if screen.focused else set()
        unsaid = active.keys() - by_key.keys() - field - TEXTUALS_OWN
        assert unsaid <= (frozenset() if place in PLACES else BELOW_DIALOGS)
        assert by_key.keys() - active.keys() == set()
        # Textual's own ctrl+q and ctrl+p act before any screen and do the same; a text field tells of enter, and hands on the
        # keys that scroll, since it has nothing to scroll.
        same = {
            "app.quit": "quit",
            "app.command_palette": "command_palette",
            "take": "submit",
            "choose(1)": "scroll_down",
            "choose(-1)": "scroll_up",
        }
        for key, command in by_key.items():
            assert active[key].action in (command.action, same.get(command.action)), key


@pytest.mark.parametrize("place", [place for place in WAYS if place in PLACES])
async def test_the_palette_offers_every_command_of_the_screen(workspace: MakeWorkspace, tmp_path: Path, place: Place) -> None:
    async with opened(workspace, tmp_path, place) as (app, _):
        offered = {each.help for each in app.get_system_commands(app.screen)}
        for command in commands_of(place):
            digits = command.id.startswith(("outcome.", "pane.")) or command.id == "palette"
            reading = command.id.startswith("read.")
            assert digits or reading or not command.words or with_keys(command.help, {}) in offered, command.id
        assert {f"Go to {title}" for title, _ in TITLES.values()} <= {each.title for each in app.get_system_commands(app.screen)}


@pytest.mark.parametrize("place", [place for place in WAYS if place != "help"])
async def test_a_key_shows_the_help_of_this_screen_or_dialog_and_a_key_leads_back(
    workspace: MakeWorkspace, tmp_path: Path, place: Place
) -> None:
    async with opened(workspace, tmp_path, place) as (app, pilot):
        before = app.screen
        await press(pilot, "f1" if place in TYPING else "question_mark")
        assert isinstance(app.screen, HelpDialog) and app.screen.place == place
        words = " ".join(paragraph.text for paragraph in app.screen.box._paragraphs)
        for _, sentence in help_rows(place):
            assert sentence in words
        for command in commands_of(place):
            assert re.search(rf"(?<!\S){re.escape(command.id)}(?!\S)", words), command.id
        # Ids without a point are words of the sentences too.
        named = {command.id for command in COMMANDS if "." in command.id} & set(words.split())
        assert named == {command.id for command in commands_of(place) if "." in command.id}
        await press(pilot, "escape")
        assert app.screen is before


@pytest.mark.parametrize("place", WAYS)
async def test_whatever_a_key_opens_escape_and_q_lead_back(workspace: MakeWorkspace, tmp_path: Path, place: Place) -> None:
    """No text field and no dialog keeps the keys, not even after a walk of the focus by Tab."""
    way, opening = WAYS[place], 0
    async with opened(workspace, tmp_path, "home") as (app, pilot):
        home = app.screen
        for command in commands_of(place):
            if command.action in LEAVING or command.id.startswith(WRITING):
                continue
            if not isinstance(app.screen, tuple(CLASSES[place])) or app.focused is not None:
                await way_out(app, pilot, home)
                app.action_go(way.start)
                await settled(app, pilot)
                await walk(app, pilot, tmp_path, way)
            before, focused = app.screen, app.focused
            assert isinstance(before, tuple(CLASSES[place])), command.id
            await press(pilot, command.keys.split(",")[0])
            if app.screen is not before or app.focused is not focused:
                opening += 1
                await settled(app, pilot)
                await press(pilot, "tab", "tab", "shift+tab")
                await way_out(app, pilot, home)
        await way_out(app, pilot, home)
        assert opening, "at least the help, or the way back"


async def way_out(app: AdjudicateApp, pilot: Pilot[None], home: Screen[object]) -> None:
    """Escape out of what has the keys, q out of the screen, until we are at home."""
    for _ in range(6):
        if app.screen is home and app.focused is None:
            return
        await press(pilot, "escape")
        if app.screen is not home and app.focused is None:
            await press(pilot, "q")
    raise AssertionError(f"the keys are kept by {app.focused or app.screen}")
