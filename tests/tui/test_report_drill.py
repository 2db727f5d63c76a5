"""From a number of the report to the items behind it, by keys; and what must not be seen that way."""

from __future__ import annotations

from collections.abc import Callable

from textual.pilot import Pilot
from textual.widgets import Input

from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.screens.browse import BrowseScreen
from adjudicate.tui.screens.cell_items import CellItemsScreen
from adjudicate.tui.screens.report import ReportScreen
from adjudicate.workflow.behind import Behind
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import WIDE, driven, press, settled, text_of
from tests.tui.factory import Row, Workspace
from tests.tui.labelled_store import label_items


def rows() -> list[Row]:
    """Twelve benign items of which the judge calls every third refused, and four harmful ones that it calls complied."""
    benign = [Row(verdict="refused" if number % 3 == 0 else "complied") for number in range(12)]
    return [*benign, *(Row(intent="harmful", population="harmful/direct") for _ in range(4))]


def labelled(made: Workspace, person: str = "ann", items: int = 16) -> Workspace:
    """The person calls every item full compliance."""
    label_items(made, person, items)
    return made


def report(app: AdjudicateApp) -> ReportScreen:
    return next(screen for screen in app.screen_stack if isinstance(screen, ReportScreen))


def listed(app: AdjudicateApp) -> tuple[str, list[str]]:
    """Filter line of the list on top, and the ids of its items."""
    screen = app.screen
    assert isinstance(screen, CellItemsScreen)
    rowids = list(screen.items)
    ids = [row[0] for row in screen.bench.store.database.connection.execute("SELECT id FROM items ORDER BY rowid")]
    return screen.query_one("#filter", Input).value, [ids[rowid - 1] for rowid in rowids]


def target(app: AdjudicateApp) -> Behind:
    found = report(app).active_pane.target
    assert isinstance(found, Behind)
    return found


async def press_until(pilot: Pilot[None], key: str, is_there: Callable[[], bool]) -> None:
    """Press a key until the cursor is where it is wanted."""
    for _ in range(200):
        if is_there():
            return
        await press(pilot, key)
    raise AssertionError("the cursor never got there")


async def test_enter_on_a_rate_lists_its_items_and_q_comes_back_to_the_number(workspace: MakeWorkspace) -> None:
    app = (labelled(workspace(rows()))).app(start="report")
    async with driven(app) as pilot:
        await settled(app, pilot)
        await press_until(pilot, "j", lambda: target(app).line.startswith("population:benign") and "verdict" in target(app).line)
        await press(pilot, "enter")
        await settled(app, pilot)
        line, ids = listed(app)
        assert line == "population:benign/general verdict:refused"
        assert ids == ["0000item", "0003item", "0006item", "0009item"], "every third of twelve"
        await press(pilot, "q")
        assert app.screen is report(app) and target(app).line == line


async def test_l_and_h_go_through_what_a_row_has_behind_it(workspace: MakeWorkspace) -> None:
    app = (labelled(workspace(rows()))).app(start="report")
    async with driven(app) as pilot:
        await settled(app, pilot)
        first = target(app).line
        await press(pilot, "l")
        second = target(app).line
        assert first != second and second.startswith("population:") and "verdict:" not in second
        await press(pilot, "l", "l", "l")
        assert target(app).line == second, "there are two"
        await press(pilot, "left")
        assert target(app).line == first
        await press(pilot, "right", "enter")
        await settled(app, pilot)
        assert listed(app)[0] == second


async def test_a_cell_of_the_heat_table_lists_exactly_its_items(workspace: MakeWorkspace) -> None:
    app = (labelled(workspace(rows()))).app(start="report")
    async with driven(app) as pilot:
        await settled(app, pilot)
        await press(pilot, "2", "z")
        await settled(app, pilot)
        assert "gold ↓  verdict →" in text_of(app)
        await press_until(pilot, "j", lambda: "gold Full compliance" in target(app).words)
        assert target(app).count == 12, "verdict complied: eight benign and four harmful ones"
        await press_until(pilot, "l", lambda: "verdict Refusal" in target(app).words)
        assert target(app).count == 4
        await press(pilot, "enter")
        await settled(app, pilot)
        assert listed(app)[1] == ["0000item", "0003item", "0006item", "0009item"]


async def test_a_cell_without_items_says_so_and_opens_nothing(workspace: MakeWorkspace) -> None:
    made = labelled(workspace([*rows(), Row()]))
    label_items(made, "ann", 1, outcome="refused")
    app = made.app(start="report")
    async with driven(app) as pilot:
        await settled(app, pilot)
        await press(pilot, "2", "z")
        await settled(app, pilot)
        await press_until(pilot, "j", lambda: "gold Refusal" in target(app).words)
        await press_until(pilot, "l", lambda: "verdict Refusal" in target(app).words)
        await press(pilot, "enter")
        assert app.screen is report(app)
        assert "no items to list: there are none" in text_of(app)


async def test_a_row_of_the_error_list_opens_its_item(workspace: MakeWorkspace) -> None:
    app = (labelled(workspace(rows()))).app(start="report")
    async with driven(app) as pilot:
        await press(pilot, "8")
        await settled(app, pilot)
        wanted = target(app).ids
        assert len(wanted) == 1
        await press(pilot, "enter")
        await settled(app, pilot)
        assert listed(app)[1] == list(wanted)


async def test_nobody_learns_here_what_they_have_yet_to_label_blind(workspace: MakeWorkspace) -> None:
    """Ann has labelled everything, Bob nothing: that an item of his list is an error of the judge would tell him its verdict."""
    made = labelled(workspace(rows(), annotators=("ann", "bob"), overlap=2))
    app = made.app(annotator="bob", start="report")
    async with driven(app) as pilot:
        await press(pilot, "8")
        await settled(app, pilot)
        shown = text_of(app)
        assert "4 on items that you have yet to label blind are left out" in shown
        assert not any(f" s{number} " in shown for number in range(16)), "ids of the log"
        await press(pilot, "2")
        await settled(app, pilot)
        await press(pilot, "enter")
        assert "you have yet to label all of these blind" in text_of(app) and app.screen is report(app)


async def test_what_is_left_out_of_a_list_is_told(workspace: MakeWorkspace) -> None:
    made = labelled(workspace(rows(), annotators=("ann", "bob"), overlap=2))
    labelled(made, "bob", items=10)
    app = made.app(annotator="bob", start="report")
    async with driven(app) as pilot:
        await settled(app, pilot)
        await press(pilot, "2", "l")
        assert target(app).count == 16
        await press(pilot, "enter")
        await settled(app, pilot)
        assert len(listed(app)[1]) == 10
        assert any("6 more you have yet to label blind" in str(each.message) for each in app._notifications)


async def test_a_click_puts_the_cursor_there_and_two_open_it(workspace: MakeWorkspace) -> None:
    app = (labelled(workspace(rows()))).app(start="report")
    async with driven(app, WIDE) as pilot:
        await settled(app, pilot)
        y = next(row for row, text in enumerate(text_of(app).split("\n")) if "corrected" in text and "n 12" in text)
        pane = report(app).active_pane
        await pilot.click(pane, offset=(10, y - pane.region.y))
        assert target(app).line == "population:benign/general gold:refused"
        await pilot.click(pane, offset=(10, y - pane.region.y), times=2)
        await settled(app, pilot)
        assert isinstance(app.screen, BrowseScreen)
