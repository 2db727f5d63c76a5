"""Settling by keys: only open items come up, without names, and a ruling has its reason."""

from __future__ import annotations

import pytest

from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, WIDE, driven, press, resolving, text_of
from tests.tui.factory import Row, Workspace


async def disputed(workspace: MakeWorkspace, items: int = 3) -> Workspace:
    """Two people who differ on every item but the last."""
    made = workspace([Row(reason="canary-free reason") for _ in range(items)], annotators=("annabel", "bobby"), overlap=2)
    async with driven(made.app(annotator="annabel")) as pilot:
        await press(pilot, *"1" * items)
    async with driven(made.app(annotator="bobby")) as pilot:
        for _ in range(items - 1):
            await press(pilot, "3", "enter")
        await press(pilot, "1")
    return made


async def test_unanimous_items_never_come_up_and_nobody_is_named(workspace: MakeWorkspace) -> None:
    made = await disputed(workspace)
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        shown = text_of(app)
        assert "1 of 2" in shown and "● A" in shown and "▲ B" in shown
        assert "1 Full compliance" in shown and "3 Refusal" in shown and "by judge-x" in shown
        await press(pilot, "n", "tab", "N")
        shown += text_of(app)
        assert "annabel" not in shown and "bobby" not in shown


async def test_a_ruling_needs_outcome_and_reason(workspace: MakeWorkspace) -> None:
    made = await disputed(workspace)
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        await press(pilot, "c", "enter")
        assert "pick the outcome" in text_of(app)
        await press(pilot, "escape", "3", "enter")
        assert "needs its reason" in text_of(app)
        assert made.events("lead") == []
        await press(pilot, *"It says no.", "enter")
        assert made.events("lead") == [("resolution", "refused", None)]
        assert "1 of 1" in text_of(app)


async def test_severity_clause_and_undo(workspace: MakeWorkspace) -> None:
    made = await disputed(workspace)
    app = made.app(annotator="lead", start="resolve")
    async with driven(app, NARROW) as pilot:
        await press(pilot, "slash", *"first aid", "enter", "enter")
        await press(pilot, "4")
        assert "how severe?" in text_of(app)
        await press(pilot, "2", *"harm", "enter")
        store = made.store()
        event = store.chain(store.annotator("lead").id)[0]
        store.close()
        assert (event.outcome, event.body["severity"], event.body["clause"]) == ("harm", "2", "B2")
        await press(pilot, "u")
        assert [kind for kind, _, _ in made.events("lead")] == ["resolution", "undo"]
        assert len(resolving(app).session.queue) == 2


async def test_moving_away_keeps_what_was_written(workspace: MakeWorkspace) -> None:
    made = await disputed(workspace)
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        await press(pilot, "3", *"half", "escape", "d")
        assert "half" not in text_of(app)
        await press(pilot, "N")
        assert "half" in text_of(app) and "ruling: 3 Refusal" in text_of(app)
        await press(pilot, "escape")
        assert "ruling: 3" not in text_of(app) and "half" in text_of(app)


async def test_nothing_open_says_the_next_command(workspace: MakeWorkspace) -> None:
    app = workspace().app(start="resolve")
    async with driven(app) as pilot:
        await press(pilot, "1", "c", "n", "enter")
        assert "adjudicate report" in text_of(app)


async def contested(workspace: MakeWorkspace) -> Workspace:
    """Two people who differ, one of whom contests that the prompt is benign."""
    made = workspace([Row()], annotators=("annabel", "bobby"), overlap=2)
    async with driven(made.app(annotator="annabel")) as pilot:
        await press(pilot, "1")
    async with driven(made.app(annotator="bobby")) as pilot:
        await press(pilot, "i", "h", "3", "enter")
    return made


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_the_intent_can_be_ruled_on_and_says_what_it_moves(workspace: MakeWorkspace, size: tuple[int, int]) -> None:
    made = await contested(workspace)
    app = made.app(annotator="lead", start="resolve")
    async with driven(app, size) as pilot:
        shown = text_of(app)
        assert "intent as declared: benign (i rules on it)" in shown and "moves the prompt's rates" not in shown
        await press(pilot, "tab")
        assert "contests: harmful" in shown + text_of(app)
        await press(pilot, "i")
        assert "intent ruled: benign, as it counts now" in text_of(app)
        assert "moves the prompt's rates" not in text_of(app)
        await press(pilot, "i")
        assert "! intent ruled: harmful, declared benign" in text_of(app)
        assert "moves the prompt's rates: shown under both intents in the report" in text_of(app)
        await press(pilot, "3", *"It asks for harm.", "enter")
    store = made.store()
    event = store.chain(store.annotator("lead").id)[0]
    store.close()
    assert (event.outcome, event.body["intent"]) == ("refused", "harmful")


async def test_the_intent_goes_round_to_none_and_a_plain_ruling_names_none(workspace: MakeWorkspace) -> None:
    made = await contested(workspace)
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        await press(pilot, "i", "i", "i")
        assert "intent ruled: dual use, declared benign" in text_of(app)
        await press(pilot, "i")
        assert "intent as declared: benign" in text_of(app)
        await press(pilot, "3", *"It says no.", "enter", "i")
        assert "nothing is open" in text_of(app)
    store = made.store()
    event = store.chain(store.annotator("lead").id)[0]
    store.close()
    assert "intent" not in event.body


async def test_an_item_opened_again_shows_the_intent_that_was_ruled(workspace: MakeWorkspace) -> None:
    made = await contested(workspace)
    async with driven(made.app(annotator="lead", start="resolve")) as pilot:
        await press(pilot, "i", "i", "3", *"It asks for harm.", "enter")
    async with driven(made.app(annotator="annabel")) as pilot:
        await press(pilot, "N", "2", "enter")
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        assert "declared benign, ruled harmful before" in text_of(app)
        assert "intent as ruled: harmful" in text_of(app)
        await press(pilot, "i")
        assert "moves the prompt's rates" in text_of(app), "back to benign moves them as well"


async def test_the_second_row_of_outcomes_begins_where_the_first_does(workspace: MakeWorkspace) -> None:
    made = await disputed(workspace)
    for columns in (61, 68, 75, 80):
        app = made.app(annotator="lead", start="resolve")
        async with driven(app, (columns, 24)):
            rows = resolving(app).pane("outcome-line").rows
            assert not any(row.startswith(" ") for row in rows), columns
