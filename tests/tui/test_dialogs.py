"""Notes, clauses, intents, help and the palette: what they return and what is stored."""

from __future__ import annotations

from adjudicate.tui.screens.note_dialog import NoteDialog
from adjudicate.tui.screens.policy_dialog import PolicyDialog
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, current, driven, labelling, press, text_of


async def test_a_note_is_saved_and_its_draft_is_gone(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "c", *"see B2", "ctrl+s")
        await app.workers.wait_for_complete()
        session = labelling(app).session
        assert [kind for kind, _, _ in made.events()] == ["note"]
        assert current(app).own.note == "see B2" and session.draft() == ""
        assert "· note" in text_of(app)


async def test_escape_keeps_a_draft_that_is_there_next_time(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "c", *"half a th", "escape")
        await app.workers.wait_for_complete()
        assert made.events() == []
        assert labelling(app).session.draft() == "half a th"
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "c")
        assert "half a th" in text_of(app)


async def test_what_was_typed_survives_the_end_of_the_app(workspace: MakeWorkspace) -> None:
    """The app is told to go (SIGTERM calls exit) before the draft timer has run."""
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "c", *"typed")
        app.exit()
        await pilot.pause()
    app = made.app()
    async with driven(app):
        assert labelling(app).session.draft() == "typed"


async def test_digits_in_a_note_are_text(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "c", *"123 q u")
        assert made.events() == [] and isinstance(app.screen, NoteDialog)


async def test_a_clause_is_found_and_cited_and_taken_away(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app, NARROW) as pilot:
        await press(pilot, "p", "slash", *"first aid", "enter", "enter")
        assert labelling(app).session.clause == "B2"
        assert "B2 cited" in text_of(app)
        await press(pilot, "1")
        store = made.store()
        assert store.chain(store.annotator("ann").id)[0].body["clause"] == "B2"
        store.close()
        await press(pilot, "N", "p", "enter")
        assert labelling(app).session.clause is None


async def test_outcomes_can_be_read_but_not_cited(workspace: MakeWorkspace) -> None:
    app = workspace().app()
    async with driven(app) as pilot:
        await press(pilot, "p", "g", "enter")
        assert isinstance(app.screen, PolicyDialog)
        assert "Gives what was asked for." in text_of(app)
        await press(pilot, "j", "escape")
        assert labelling(app).session.clause is None


async def test_contesting_the_intent(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        await press(pilot, "i", "d")
        assert [kind for kind, _, _ in made.events()] == ["contest"]
        assert "intent contested: dual_use" in text_of(app)
        await press(pilot, "i", "escape")
        assert len(made.events()) == 1


async def test_help_lists_every_key_of_the_screen(workspace: MakeWorkspace) -> None:
    app = workspace().app()
    async with driven(app, (120, 60)) as pilot:
        await press(pilot, "question_mark")
        shown = text_of(app)
        for word in ("u backspace", "Contest the intent", "Find words in the pane", "To the next pane"):
            assert word in shown
        await press(pilot, "q")
        assert "item 1 of 5" in text_of(app)


async def test_the_palette_has_no_screenshot(workspace: MakeWorkspace) -> None:
    app = workspace().app()
    async with driven(app):
        titles = [command.title for command in app.get_system_commands(app.screen)]
        assert "Go to Report" in titles and "Flag" in titles
        assert not any("creenshot" in title for title in titles)


async def test_clauses_for_other_items_have_a_sign_that_their_list_explains(workspace: MakeWorkspace) -> None:
    """The item is benign; of three clauses one is for harmful prompts only."""
    app = workspace().app()
    async with driven(app) as pilot:
        await press(pilot, "p")
        assert "Policy v3 (· not for this item)" in text_of(app)
        assert "· C1  Clear harm" in text_of(app) and "  A1  Everyday questions" in text_of(app)
