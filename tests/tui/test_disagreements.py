"""Settling by keys: only open items come up, without names, and a ruling has its reason."""

from __future__ import annotations

from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, driven, press, resolving, text_of
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
