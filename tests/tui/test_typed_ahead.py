"""Keys in their turn, without a terminal: all events are there before the app has looked at the first of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.command import CommandPalette
from textual.keys import _character_to_key
from textual.message import Message
from textual.widgets import Input, TextArea

from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.screens.adopt_dialog import AdoptDialog
from adjudicate.tui.screens.browse import BrowseScreen
from adjudicate.tui.screens.item import ItemScreen
from adjudicate.tui.screens.note_dialog import NoteDialog
from adjudicate.tui.screens.policy import PolicyScreen
from adjudicate.tui.typed_ahead import MOST_ROUNDS
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import driven, labelling, press, settled, text_of
from tests.tui.factory import Row, Workspace
from tests.tui.test_policy_screen import NEW_TEXT, OLD

NAMED = {"enter": "\r", "escape": "\x1b", "ctrl+s": "\x13", "ctrl+q": "\x11", "tab": "\t", "backspace": "\x7f"}


def keys(*typed: str) -> list[Message]:
    """Key events: a key by its name, or a text letter by letter."""
    found: list[Message] = []
    for each in typed:
        if each in NAMED:
            found.append(events.Key(each, NAMED[each]))
        else:
            found += [events.Key(_character_to_key(letter), letter) for letter in each]
    return found


def top(app: AdjudicateApp) -> object:
    """What lies on top now."""
    return app.screen


async def burst(app: AdjudicateApp, pilot: object, *typed: str | Message) -> None:
    """All of it at once."""
    for each in typed:
        for event in [each] if isinstance(each, Message) else keys(each):
            app.post_message(event)
    await settled(app, pilot)  # type: ignore[arg-type]


@pytest.fixture
def made(workspace: MakeWorkspace, tmp_path: Path) -> Workspace:
    """Five items, one of them about sleep; the next version of the policy is in v4.md."""
    rows = [Row(response="Sleep in a cool room." if number == 3 else f"Answer {number}.", verdict=None) for number in range(5)]
    (tmp_path / "v4.md").write_text(NEW_TEXT, encoding="utf-8")
    found: Workspace = workspace(rows, policy=OLD)
    return found


async def test_from_home_to_the_policy_and_a_path_into_its_field(made: Workspace, tmp_path: Path) -> None:
    """The book of policies is still being read when the field opens."""
    app = made.app(start="home")
    async with driven(app) as pilot:
        await burst(app, pilot, "pa", str(tmp_path / "v4.md"), "enter")
        assert isinstance(top(app), AdoptDialog)
        assert "Adopt boundary 4 in place of boundary 3?" in text_of(app)


async def test_from_home_to_the_items_and_words_into_their_filter(made: Workspace) -> None:
    app = made.app(start="home")
    async with driven(app) as pilot:
        await burst(app, pilot, "i/", "cool room")
        items = top(app)
        assert isinstance(items, BrowseScreen)
        assert items.query_one("#filter", Input).value == "cool room" and len(items.items) == 1
        await burst(app, pilot, "enter", "enter")
        assert isinstance(top(app), ItemScreen)
        await burst(app, pilot, "qq", "i/q")
        assert isinstance(top(app), BrowseScreen) and app.screen.query_one("#filter", Input).value == "q"


async def test_words_to_find_end_with_enter_and_the_next_key_acts(made: Workspace) -> None:
    app = made.app()
    async with driven(app) as pilot:
        await burst(app, pilot, "/", "fuss", "enter", "f")
        assert made.events() == [("flag", None, None)]
        assert labelling(app).active_pane.found is not None
        await burst(app, pilot, "/", "backspace", "x", "escape", "f")
        assert len(made.events()) == 2 and labelling(app).active_pane.found is None


async def test_a_note_has_all_its_letters_and_a_paste_keeps_its_place(made: Workspace) -> None:
    app = made.app()
    async with driven(app) as pilot:
        await burst(app, pilot, "c", "see ", events.Paste("B2, first"), " aid", "ctrl+s")
        await app.workers.wait_for_complete()
        view = labelling(app).session.view
        assert view is not None and view.own.note == "see B2, first aid"
        await burst(app, pilot, "c")
        assert isinstance(top(app), NoteDialog) and app.screen.query_one(TextArea).text == "see B2, first aid"


async def test_enter_in_the_palette_waits_for_what_was_typed_to_be_found(made: Workspace) -> None:
    """At once it would run whatever stands first in the list of all commands."""
    app = made.app(start="home")
    async with driven(app) as pilot:
        await burst(app, pilot, ":", "go to policy", "enter", "/", "lecture")
        policies = top(app)
        assert isinstance(policies, PolicyScreen)
        assert [entry.id for entry in policies.reader.entries] == ["A1"]
        await burst(app, pilot, "enter", ":", "escape", "?")
        assert not isinstance(top(app), CommandPalette) and "Keys while reading the policy" in text_of(app)


async def test_while_a_policy_is_looked_at_a_second_path_is_kept_and_not_read_as_commands(
    made: Workspace, tmp_path: Path
) -> None:
    app = made.app(start="policies")
    async with driven(app) as pilot:
        await settled(app, pilot)
        policies = next(screen for screen in app.screen_stack if isinstance(screen, PolicyScreen))
        policies._at_work = True
        await burst(app, pilot, "a", str(tmp_path / "v4.md"), "enter", "q")
        assert app.screen is policies and "still at work with another policy" in text_of(app)
        assert policies.query_one(Input).value == f"{tmp_path / 'v4.md'}q"
        policies._at_work = False
        await burst(app, pilot, "backspace", "enter")
        assert isinstance(top(app), AdoptDialog)


async def test_a_key_pressed_before_the_question_was_seen_is_no_yes(made: Workspace, tmp_path: Path) -> None:
    """It opens when it is ready, which may be in the middle of other keys; none of them may adopt anything."""
    app = made.app(start="policies")
    async with driven(app) as pilot:
        await settled(app, pilot)
        (early,) = keys("y")
        await burst(app, pilot, "a", str(tmp_path / "v4.md"), "enter")
        assert isinstance(top(app), AdoptDialog)
        await burst(app, pilot, early)
        assert isinstance(top(app), AdoptDialog)
        await press(pilot, "y")
        await settled(app, pilot)
        assert "in force: boundary 4" in text_of(app)


async def test_something_that_never_rests_does_not_keep_the_keys(made: Workspace) -> None:
    app = made.app()
    async with driven(app) as pilot:
        screen, rounds = app.screen, 0

        def again() -> None:
            nonlocal rounds
            rounds += 1
            if rounds < 50 * MOST_ROUNDS:
                screen.call_later(again)

        again()
        await burst(app, pilot, "/", "fuss", "enter", "f")
        assert made.events() == [("flag", None, None)]


async def test_what_is_typed_behind_the_key_that_leaves_is_forgotten(made: Workspace) -> None:
    app = made.app()
    async with driven(app) as pilot:
        await burst(app, pilot, "q", "1")
    assert made.events() == []
