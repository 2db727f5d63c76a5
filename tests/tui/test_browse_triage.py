"""Sending items to triage from the list and from an opened item, labelling there, and every filter of the list by its keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudicate.core import labels
from adjudicate.core.labels import TRIAGE, Act
from adjudicate.storage import triage
from adjudicate.storage.connection import writing
from adjudicate.tui.screens.item import ItemScreen
from adjudicate.tui.screens.triage import TriageScreen
from tests.tui.driving import NARROW, WIDE, driven, key_event, labelling, press, settled, text_of
from tests.tui.factory import AT, Workspace
from tests.tui.test_browse import at, screen, typed


def queue_of(workspace: Workspace) -> list[int]:
    """Rowids in the queue."""
    store = workspace.store()
    try:
        return triage.rowids(store)
    finally:
        store.close()


def said_in_triage(workspace: Workspace, name: str) -> list[tuple[str, str | None]]:
    """Items and outcomes of a person's acts there."""
    store = workspace.store()
    try:
        return [(event.item_id, event.outcome) for event in store.chain(store.annotator(name).id) if event.round == TRIAGE]
    finally:
        store.close()


async def test_t_sends_the_item_under_the_cursor_and_takes_it_back(tmp_path: Path) -> None:
    workspace = at(tmp_path)
    app = workspace.app("reader", start="browse")
    async with driven(app) as pilot:
        await press(pilot, "j", "j", "t")
        await settled(app, pilot)
        assert queue_of(workspace) == [3]
        assert "1 item sent to triage" in text_of(app) and "T in triage" in text_of(app)
        await press(pilot, "t")
        await settled(app, pilot)
        assert queue_of(workspace) == []
        assert "taken out of triage" in text_of(app) and "T in triage" not in text_of(app)


async def test_t_sends_what_is_selected_in_its_order(tmp_path: Path) -> None:
    workspace = at(tmp_path)
    app = workspace.app("reader", start="browse")
    async with driven(app, NARROW) as pilot:
        await press(pilot, "j", "j", "space", "g", "space", "t")
        await settled(app, pilot)
        assert queue_of(workspace) == [3, 1]


async def test_what_is_taken_out_leaves_a_list_of_triage_at_once_and_the_cursor_stays_in_its_row(tmp_path: Path) -> None:
    workspace = at(tmp_path)
    app = workspace.app("reader", start="browse")
    async with driven(app) as pilot:
        await press(pilot, "space", "space", "space", "t")
        await settled(app, pilot)
        assert queue_of(workspace) == [1, 2, 3]
        await press(pilot, "x")
        await typed(app, pilot, "triage:yes")
        await press(pilot, "g", "j", "t")
        await settled(app, pilot)
        assert queue_of(workspace) == [1, 3]
        assert list(screen(app).items) == [1, 3] and screen(app).current_row() == 3
        assert "2 found" in text_of(app) and "taken out of triage" in text_of(app)


async def test_what_is_sent_leaves_a_list_of_what_is_not_in_triage(tmp_path: Path) -> None:
    workspace = at(tmp_path)
    app = workspace.app("reader", start="browse")
    async with driven(app) as pilot:
        await typed(app, pilot, "triage:no")
        count = len(screen(app).items)
        await press(pilot, "j", "t")
        await settled(app, pilot)
        assert queue_of(workspace) == [2]
        assert len(screen(app).items) == count - 1 and screen(app).current_row() == 3


async def test_of_ones_own_list_it_says_so_and_shows_no_mark(tmp_path: Path) -> None:
    workspace = at(tmp_path)
    app = workspace.app(start="browse")
    async with driven(app) as pilot:
        await press(pilot, "t")
        await settled(app, pilot)
        assert queue_of(workspace) == [1]
        assert "1 comes to you from a sample, and only there" in text_of(app) and "T in triage" not in text_of(app)
        await press(pilot, "T")
        await settled(app, pilot)
        assert isinstance(app.screen, TriageScreen) and "Nothing is in triage for you." in text_of(app)


async def test_an_opened_item_can_be_sent_and_says_so(tmp_path: Path) -> None:
    workspace = at(tmp_path)
    app = workspace.app("reader", start="browse")
    async with driven(app) as pilot:
        await press(pilot, "enter", "n", "t")
        await settled(app, pilot)
        assert isinstance(app.screen, ItemScreen) and queue_of(workspace) == [2]
        assert "1 item sent to triage" in text_of(app) and "in triage: T labels" in text_of(app)
        await press(pilot, "q")
        assert "T in triage" in text_of(app)


async def test_t_leads_to_the_queue_where_the_labelling_keys_act_and_nothing_counts(tmp_path: Path) -> None:
    workspace = at(tmp_path)
    app = workspace.app("reader", start="browse")
    async with driven(app, WIDE) as pilot:
        await press(pilot, "space", "space", "t", "T")
        await settled(app, pilot)
        assert isinstance(app.screen, TriageScreen)
        shown = text_of(app)
        assert "triage" in shown and "in no rate" in shown and "item 1 of 2" in shown
        # The verdict is hidden here too, and agreeing with it goes straight on.
        assert "hidden until you decide" in shown
        await press(pilot, "1")
        assert "item 2 of 2" in text_of(app)
        await press(pilot, "3")
        assert labelling(app).session.phase == "revealed"
        await press(pilot, "enter")
        assert "All 2 items of the triage queue are done." in text_of(app)
        assert said_in_triage(workspace, "reader") == [("0000item", "complied"), ("0001item", "refused")]
        await press(pilot, "u")
        assert "item 2 of 2" in text_of(app) and labelling(app).session.progress.done == 1
        await press(pilot, "q")
        await settled(app, pilot)
        assert "T complied" in text_of(app) and "T in triage" in text_of(app)
    store = workspace.store()
    assert store.frame_items() == [] and store.open_items() == []
    store.close()


async def test_home_leads_to_triage_and_the_own_list_stays_what_it_was(tmp_path: Path) -> None:
    workspace = at(tmp_path)
    app = workspace.app(start="home")
    async with driven(app) as pilot:
        await press(pilot, "T")
        await settled(app, pilot)
        assert isinstance(app.screen, TriageScreen)
        await press(pilot, "q", "enter")
        await settled(app, pilot)
        assert "item 1 of 40" in text_of(app)


async def test_what_arrives_while_the_queue_is_still_opening_is_there(tmp_path: Path) -> None:
    """All keys at once: the items are sent before the screen that labels them has its panes."""
    app = at(tmp_path).app("reader", start="browse")
    async with driven(app) as pilot:
        driver = app._driver
        assert driver is not None
        for key in ("space", "space", "t", "T"):
            driver.send_message(key_event(key))
        await settled(app, pilot)
        assert isinstance(app.screen, TriageScreen) and "item 1 of 2" in text_of(app)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("population:harmful", 20),
        # The fourth has none, and the reader is in no sample.
        ("verdict:complied", 39),
        ("verdict:failed", 1),
        ("outcome:refused", 1),
        ("disagreement:yes", 1),
        ("annotator:bo", 2),
        ("clause:B2", 1),
        ("flagged:yes", 1),
        ("triage:yes", 2),
        # "Answer 30. Drink water." and thirty times " More.": 11 + 12 + 180 characters; the one before has 197.
        ("longer:200", 10),
        ("shorter:200 longer:200", 0),
        ("language:de", 10),
        ("sleep", 10),
        ("population:benign language:de sleep", 3),
    ],
)
async def test_every_filter_of_the_list_by_its_keys(tmp_path: Path, line: str, found: int) -> None:
    workspace = at(tmp_path)
    said(workspace)
    app = workspace.app("reader", start="browse")
    async with driven(app) as pilot:
        await typed(app, pilot, line)
        assert len(screen(app).items) == found, line


def said(workspace: Workspace) -> None:
    """One item that two people agree on, citing a clause once, one they differ on, a flag, two items in triage."""
    store = workspace.store()
    policy, ann, bo = store.policy(), store.annotator("ann"), store.annotator("bo")

    def label(person: str, item: str, outcome: str, clause: str | None = None) -> None:
        act = labels.label(policy, item_id=item, outcome=outcome, mode="blind", clause=clause)
        store.append(person, act, policy=policy.fingerprint, at=AT)

    label(ann.id, "0000item", "refused", "B2")
    label(bo.id, "0000item", "refused")
    label(ann.id, "0001item", "refused")
    label(bo.id, "0001item", "complied")
    store.append(ann.id, Act("flag", "0002item", body={"on": True}), policy=policy.fingerprint, at=AT)
    triage.add(store, [5, 6], ann.id, AT)
    with writing(store.database) as connection:
        connection.execute("DELETE FROM assignments")
    store.close()
