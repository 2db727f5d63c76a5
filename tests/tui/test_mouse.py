"""The mouse does what keys do, by the same ways, and is never needed."""

from __future__ import annotations

from textual.app import App
from textual.pilot import Pilot

from adjudicate.settings import LabelSettings
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import driven, handled, labelling, press, settled, text_of
from tests.tui.factory import Row


async def click(pilot: Pilot[None], words: str, *, times: int = 1) -> None:
    """Click on the first place of the screen that says so."""
    await pilot.click(offset=place_of(pilot.app, words), times=times)
    await handled(pilot.app)
    await pilot.pause()


def place_of(app: App[None], words: str) -> tuple[int, int]:
    rows = text_of(app).splitlines()
    row = next(place for place, text in enumerate(rows) if words in text)
    return rows[row].index(words), row


async def test_a_click_on_an_outcome_labels_as_its_digit_does(workspace: MakeWorkspace) -> None:
    made = workspace([Row(verdict=None) for _ in range(3)])
    app = made.app()
    async with driven(app) as pilot:
        await click(pilot, "Refusal")
        assert made.events() == [("label", "refused", "blind")]
        assert "item 2 of 3" in text_of(app)


async def test_the_second_click_of_two_labels_nothing_more(workspace: MakeWorkspace) -> None:
    made = workspace([Row(verdict=None) for _ in range(3)])
    async with driven(made.app()) as pilot:
        await click(pilot, "Refusal", times=2)
        assert len(made.events()) == 1


async def test_a_click_on_a_key_below_does_what_the_key_does(workspace: MakeWorkspace) -> None:
    made = workspace([Row(verdict=None) for _ in range(3)])
    app = made.app()
    async with driven(app) as pilot:
        await click(pilot, "flag")
        assert [event[0] for event in made.events()] == ["flag"]
        await click(pilot, "? help")
        assert "Keys while labelling" in text_of(app)


async def test_a_clicked_pane_is_the_one_that_keys_scroll(workspace: MakeWorkspace) -> None:
    app = workspace([Row(verdict=None)]).app()
    async with driven(app) as pilot:
        await click(pilot, "Health and first aid")
        assert labelling(app).active_pane.id == "clauses"
        await click(pilot, "Stay in the shade")
        assert labelling(app).active_pane.id == "response"


async def test_a_clause_is_chosen_by_a_click_and_cited_by_enter(workspace: MakeWorkspace) -> None:
    app = workspace([Row(verdict=None)]).app()
    async with driven(app) as pilot:
        await press(pilot, "p")
        await click(pilot, "A1  Everyday")
        await press(pilot, "enter")
        assert "Clause A1 cited" in text_of(app)


async def test_the_next_step_and_an_item_of_the_queue_are_reached_by_clicks(workspace: MakeWorkspace) -> None:
    made = workspace(annotators=("ann", "bob"), overlap=2)
    for person, digits in (("ann", "11"), ("bob", "33")):
        async with driven(made.app(annotator=person)) as pilot:
            for digit in digits:
                await press(pilot, digit)
                if "differs" in text_of(pilot.app):
                    await press(pilot, "enter")
    app = made.app(annotator="lead", start="home")
    async with driven(app) as pilot:
        await settled(app, pilot)
        await press(pilot, "r")
        await settled(app, pilot)
        assert "1 of 2" in text_of(app)
        await click(pilot, "  2 00")
        assert "2 of 2" in text_of(app)


async def test_a_veiled_response_is_not_labelled_by_a_click_either(workspace: MakeWorkspace) -> None:
    made = workspace([Row(verdict=None)])
    app = made.app(label=LabelSettings(veil=("health",)))
    async with driven(app) as pilot:
        await click(pilot, "Refusal")
        assert made.events() == [] and "behind the veil" in text_of(app)
