"""Browse by its keys: what is found, opened, selected and exported, on real stores; the mouse does the same."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from pathlib import Path

import pytest
from textual.widgets import Input

from adjudicate.storage import browse_index
from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.screens.browse import BrowseScreen
from adjudicate.tui.screens.item import ItemScreen
from adjudicate.tui.screens.labelling import LabellingScreen
from adjudicate.tui.widgets.line_view import LineView
from adjudicate.workflow.browse_filter import KEYS
from adjudicate.workflow.browse_items import ORDERS
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, TINY, WIDE, driven, press, settled, text_of
from tests.tui.factory import Row, Workspace, make_workspace

HUGE = (200, 50)


def rows() -> list[Row]:
    """Forty items; every fourth is about sleep, the last is the longest."""
    made = [
        Row(
            response=f"Answer {number}. " + ("Sleep well." if number % 4 == 0 else "Drink water.") + " More." * number,
            prompt=f"Question {number}?",
            population="harmful/direct" if number % 2 else "benign/general",
            language="de" if number < 10 else "en",
        )
        for number in range(40)
    ]
    made[3].verdict = None
    return made


def at(folder: Path, **settings: object) -> Workspace:
    """A workspace with the folders of a real one, so that exports have their place."""
    (folder / "db").mkdir()
    return make_workspace(folder / "db", rows(), **settings)  # type: ignore[arg-type]


def screen(app: AdjudicateApp) -> BrowseScreen:
    """The list, below what is open."""
    return next(each for each in app.screen_stack if isinstance(each, BrowseScreen))


async def typed(app: AdjudicateApp, pilot: object, line: str) -> None:
    """Type a filter and go back to the list."""
    await press(pilot, "slash")  # type: ignore[arg-type]
    await press(pilot, *("space" if each == " " else "colon" if each == ":" else each for each in line), "enter")  # type: ignore[arg-type]
    await settled(app, pilot)  # type: ignore[arg-type]


async def test_home_leads_to_the_list_and_back(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="home")
    async with driven(app) as pilot:
        await press(pilot, "i")
        await settled(app, pilot)
        assert isinstance(app.screen, BrowseScreen)
        assert "40 items · as imported" in text_of(app) and "Answer 0." in text_of(app)
        await press(pilot, "q")
        assert not isinstance(app.screen, BrowseScreen)


async def test_the_keys_of_a_list_move_the_cursor(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="browse")
    async with driven(app, NARROW) as pilot:
        table = screen(app).table
        await press(pilot, "j", "j", "k", "down")
        assert table.cursor == 2
        await press(pilot, "G")
        assert table.cursor == 39 and "row 40 of 40" in text_of(app) and "Answer 39." in text_of(app)
        await press(pilot, "j")
        assert table.cursor == 39
        await press(pilot, "pageup")
        assert table.cursor == 39 - (table.room - 1)
        await press(pilot, "g")
        assert table.cursor == 0
        await press(pilot, "k")
        assert table.cursor == 0
        await press(pilot, "pagedown", "ctrl+f", "ctrl+b")
        assert table.cursor == table.room - 1
        await press(pilot, "home", "end")
        assert table.cursor == 39


async def test_each_key_typed_narrows_the_list_and_taking_it_back_widens_it(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="browse")
    async with driven(app) as pilot:
        await typed(app, pilot, "sleep")
        assert len(screen(app).items) == 10 and "10 found" in text_of(app)
        assert "Sleep well" in text_of(app) and "Drink water" not in text_of(app)
        await typed(app, pilot, " lang:de")
        assert screen(app).items.tolist() == [1, 5, 9]  # type: ignore[attr-defined]
        await press(pilot, "slash", *["backspace"] * 8)
        await settled(app, pilot)
        assert len(screen(app).items) == 10
        await press(pilot, *["backspace"] * 6, "escape")
        await settled(app, pilot)
        assert screen(app).items == range(1, 41) and app.focused is None


async def test_a_line_that_cannot_be_read_says_why_and_changes_nothing(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="browse")
    async with driven(app) as pilot:
        await typed(app, pilot, "colour:red")
        assert "colour: no such key" in text_of(app)
        await press(pilot, "slash", *["backspace"] * 10, "enter")
        await typed(app, pilot, "population:other")
        assert "nothing here begins with 'other'" in text_of(app)
        await press(pilot, "slash", *["backspace"] * 16, "enter")
        await typed(app, pilot, "nothingofthekind")
        assert "0 found" in text_of(app) and "nothing fits the filter: / changes it" in text_of(app)
        await press(pilot, "enter", "space", "e")
        assert isinstance(app.screen, BrowseScreen) and "there is nothing to export" in text_of(app)


async def test_every_order_by_its_key(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="browse")
    async with driven(app) as pilot:
        seen = []
        for ordering in (*ORDERS[1:], ORDERS[0]):
            await press(pilot, "o")
            await settled(app, pilot)
            assert ordering.words in text_of(app)
            seen.append(list(screen(app).items)[:1])
        # All are drawn, and blind: what is sorted by score would tell something, so nothing is left. The answers grow.
        assert seen == [[40], [40], [1], [], [], [1]]
        await press(pilot, "O", "O", "O")
        await settled(app, pilot)
        assert "shortest first" in text_of(app)


async def test_the_cursor_stays_on_its_item_when_the_list_changes(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="browse")
    async with driven(app) as pilot:
        await press(pilot, *"jjjj")
        await typed(app, pilot, "lang:de sleep")
        assert screen(app).table.current == 5 and screen(app).table.cursor == 1


async def test_space_selects_and_x_takes_all_back(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="browse")
    async with driven(app) as pilot:
        await press(pilot, "space", "j", "space", "k", "space")
        assert list(screen(app).selected) == [1]
        await press(pilot, "space", "space")
        assert list(screen(app).selected) == [1, 4, 5] and "3 selected" in text_of(app)
        await typed(app, pilot, "lang:en")
        assert list(screen(app).selected) == [1, 4, 5], "a filter does not lose the selection"
        await press(pilot, "x")
        assert not screen(app).selected and "selected" not in text_of(app).split("\n")[4]


@pytest.mark.parametrize(("key", "has_text"), [("e", False), ("E", True)])
async def test_the_selection_is_exported_in_its_order(tmp_path: Path, key: str, has_text: bool) -> None:
    app = at(tmp_path).app(start="browse")
    async with driven(app) as pilot:
        await press(pilot, "j", "space", "g", "space", key)
        await settled(app, pilot)
        assert "2 items" in text_of(app) and "exports/items-" in text_of(app)
    (path,) = (tmp_path / "exports").iterdir()
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [row["item"] for row in found] == ["0001item", "0000item"]
    assert [row["source_id"] for row in found] == ["s1", "s0"]
    assert all(("response" in row) == has_text == ("messages" in row) for row in found)
    assert not any("verdict" in row for row in found)
    if has_text:
        assert found[1]["response"] == "Answer 0. Sleep well."


async def test_without_a_selection_all_that_was_found_is_exported_and_never_over_another_file(tmp_path: Path) -> None:
    app = at(tmp_path).app(start="browse")
    async with driven(app) as pilot:
        await typed(app, pilot, "lang:de")
        await press(pilot, "e")
        await settled(app, pilot)
        await press(pilot, "e")
        await settled(app, pilot)
    first, second = sorted((tmp_path / "exports").iterdir())
    assert first.read_text() == second.read_text() and len(first.read_text().splitlines()) == 10


async def test_an_export_that_fails_says_so(tmp_path: Path) -> None:
    app = at(tmp_path).app(start="browse")
    (tmp_path / "exports").write_text("in the way")
    async with driven(app) as pilot:
        await press(pilot, "e")
        await settled(app, pilot)
        assert "not exported" in text_of(app)


async def test_tab_lets_the_keys_scroll_the_preview(workspace: MakeWorkspace) -> None:
    made = workspace([Row(response="line\n" * 80), Row()])
    app = made.app(start="browse")
    async with driven(app) as pilot:
        assert "What helps against heat" in text_of(app)
        await press(pilot, "tab", "j", "j")
        assert screen(app).table.cursor == 0 and "3-" in text_of(app)
        await press(pilot, "G", "g", "pagedown", "tab", "j")
        assert screen(app).table.cursor == 1


async def test_a_narrow_window_has_no_preview_and_a_tiny_one_says_so(workspace: MakeWorkspace) -> None:
    made = workspace(rows())
    app = made.app(start="browse")
    async with driven(app, NARROW) as pilot:
        await press(pilot, "tab", "j")
        assert screen(app).table.cursor == 1 and "tab pane" not in text_of(app) and "Question" not in text_of(app)
        await pilot.resize_terminal(*WIDE)
        await pilot.pause()
        assert "Question 1?" in text_of(app)
    app = made.app(start="browse")
    async with driven(app, TINY) as pilot:
        await press(pilot, "space", "e")
        assert "too small" in text_of(app) and not screen(app).selected


async def test_the_keys_told_are_the_keys_there_are(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="browse")
    async with driven(app, HUGE) as pilot:
        await press(pilot, "question_mark")
        shown = "\n".join(app.screen.query_one("#help-text", LineView).rows)
        assert all(f"{key}:" in shown for key in KEYS), "the help tells the keys of the filter too"
        await press(pilot, "escape", "slash")
        assert "back to the list" in text_of(app).split("\n")[-1] and "shorter:" in text_of(app).split("\n")[-1]


async def test_escape_ends_a_long_reading_and_says_what_was_not_searched(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browse_index, "BATCH", 10)
    app = workspace(rows()).app(start="browse")
    async with driven(app) as pilot:
        await settled(app, pilot)
        real, reached, go_on = browse_index.ADDING["texts"], threading.Event(), threading.Event()

        def waiting(connection: sqlite3.Connection, done: int) -> None:
            real(connection, done)
            if done == 10:
                reached.set()
                go_on.wait(20)

        monkeypatch.setitem(browse_index.ADDING, "texts", waiting)
        await press(pilot, "slash", "s", "enter")
        await asyncio.to_thread(reached.wait, 20)
        await pilot.pause()
        assert "reading words for the search 25 %" in text_of(app)
        await press(pilot, "escape")
        go_on.set()
        await settled(app, pilot)
        assert "the words of 20 items were not read" in text_of(app)
        assert screen(app).items.tolist() == []  # type: ignore[attr-defined]


async def test_without_an_index_the_list_can_be_read(workspace: MakeWorkspace) -> None:
    made = workspace(rows())
    made.database.with_name(made.database.name + browse_index.SUFFIX).mkdir()
    app = made.app(start="browse")
    async with driven(app) as pilot:
        await settled(app, pilot)
        assert "no index for searching" in text_of(app)
        await press(pilot, "j", "enter")
        assert isinstance(app.screen, ItemScreen) and "Answer 1." in text_of(app)


async def test_an_empty_workspace_says_so(tmp_path: Path) -> None:
    made = make_workspace(tmp_path, [Row()])
    store = made.store()
    for table in ("assignments", "picks", "draw_units", "verdicts", "items"):
        store.database.connection.execute(f"DELETE FROM {table}")
    store.close()
    app = made.app(start="browse")
    async with driven(app) as pilot:
        await settled(app, pilot)
        assert "nothing is imported yet" in text_of(app)
        await press(pilot, "j", "G", "enter", "space", "pagedown", "o", "e")
        assert isinstance(app.screen, BrowseScreen)


async def test_the_mouse_moves_the_cursor_scrolls_and_opens(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="browse")
    async with driven(app) as pilot:
        await pilot.click("#list", offset=(20, 5))
        assert screen(app).table.cursor == 3, "the border, the header, then the rows"
        await pilot.click("#list", offset=(20, 1))
        assert screen(app).table.cursor == 3
        await pilot.double_click("#list", offset=(20, 6))
        await pilot.pause()
        assert isinstance(app.screen, ItemScreen) and screen(app).table.cursor == 4


# One item


async def test_an_item_is_read_and_the_next_is_one_key_away(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="browse")
    async with driven(app) as pilot:
        await press(pilot, "j", "enter")
        shown = text_of(app)
        assert "Question 1?" in shown and "Answer 1. Drink water." in shown and "2 of 40" in shown
        assert "population  harmful/direct" in shown and "source id   s1" in shown and "run         run one" in shown
        assert shown.count("hidden until you have labelled it") == 2 and "judge-x" not in shown
        await press(pilot, "n", "n", "N")
        assert "Answer 2." in text_of(app) and "3 of 40" in text_of(app)
        await press(pilot, "p", "escape", "q")
        assert isinstance(app.screen, BrowseScreen) and screen(app).table.cursor == 2


async def test_a_narrow_item_shows_one_pane_at_a_time(workspace: MakeWorkspace) -> None:
    app = workspace([Row(response="line\n" * 60)] * 2).app(start="browse")
    async with driven(app, NARROW) as pilot:
        await press(pilot, "enter")
        assert "line" in text_of(app) and "source id" not in text_of(app)
        await press(pilot, "space", "j", "G", "g", "b", "tab")
        assert "source id" in text_of(app)


async def test_nobody_labels_from_the_list_what_was_not_drawn_for_them_or_is_not_its_turn(workspace: MakeWorkspace) -> None:
    made = workspace(rows())
    for person, words in (("ann", "you have not labelled it yet"), ("lead", "it is not on your list")):
        app = made.app(person, start="browse")
        async with driven(app) as pilot:
            await press(pilot, "enter", "r")
            assert words in text_of(app) and isinstance(app.screen, ItemScreen)
        assert made.events(person) == []


async def test_what_one_has_labelled_can_be_labelled_again_and_is_a_revision(workspace: MakeWorkspace) -> None:
    made = workspace(rows())
    app = made.app(start="label")
    async with driven(app) as pilot:
        await press(pilot, "3", "enter")
        first = made.store()
        labelled = first.chain(first.annotator("ann").id)[0].item_id
        first.close()
        app.action_go("browse")
        await pilot.pause()
        await settled(app, pilot)
        await typed(app, pilot, "by:ann")
        assert len(screen(app).items) == 1
        await press(pilot, "enter")
        assert "you have labelled it" in text_of(app) and "judge-x" in text_of(app)
        assert "you labelled: 3 Refusal" in text_of(app)
        await press(pilot, "r")
        assert isinstance(app.screen, LabellingScreen)
        view = app.screen.session.view
        assert view is not None and view.item.id == labelled
        await press(pilot, "1")
        assert made.events()[-1] == ("label", "complied", "revealed")


async def test_the_history_names_nobody(workspace: MakeWorkspace) -> None:
    made = workspace(rows()[:4], annotators=("annika", "bobby"), overlap=2)
    for person in ("annika", "bobby"):
        async with driven(made.app(person)) as pilot:
            await press(pilot, *("1", "enter") * 4)
    app = made.app("lead", start="browse")
    async with driven(app) as pilot:
        await press(pilot, "enter")
        shown = text_of(app)
        assert "A   labelled: 1 Full compliance" in shown and "B   labelled: 1 Full compliance" in shown
        assert "gold: 1 Full compliance (unanimous)" in shown
        assert "annika" not in shown and "bobby" not in shown


async def test_the_filter_takes_a_paste_as_text(workspace: MakeWorkspace) -> None:
    from textual.events import Paste

    app = workspace(rows()).app(start="browse")
    async with driven(app) as pilot:
        await press(pilot, "slash")
        app.query_one("#filter", Input).post_message(Paste("lang:de\rq"))
        await settled(app, pilot)
        assert app.query_one("#filter", Input).value.startswith("lang:de") and isinstance(app.screen, BrowseScreen)


async def test_an_empty_response_is_listed_as_empty(workspace: MakeWorkspace) -> None:
    app = workspace([Row(response=""), Row()]).app(start="browse")
    async with driven(app) as pilot:
        await settled(app, pilot)
        assert "2 items" in text_of(app) and "(the response is empty)" in text_of(app)
