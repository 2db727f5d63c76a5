"""A locked or failing store: the item stays, nothing is lost, nothing is saved twice, and the screen is alive."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudicate.core import labels
from adjudicate.errors import StoreError
from adjudicate.tui.screens import saving
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import current, driven, labelling, press, text_of
from tests.tui.factory import AT, Row


@contextlib.contextmanager
def taken(database: Path) -> Iterator[None]:
    """A program that knows nothing of our lock file is in the middle of a transaction."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.close()


@contextlib.contextmanager
def locked(database: Path) -> Iterator[None]:
    """Another process holds the write lock."""
    file = os.open(database.with_name(database.name + ".lock"), os.O_RDWR)
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(file)


async def test_a_label_waits_for_the_lock_while_the_item_stays(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        first = current(app).item.id
        with locked(made.database):
            await press(pilot, "1")
            assert "saving …" in text_of(app)
            await press(pilot, "2", "s", "c")
            assert "still saving" in text_of(app) or "no item" in text_of(app)
            assert current(app).item.id == first
            await press(pilot, "j", "tab")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert made.events() == [("label", "complied", "blind")]
        assert current(app).item.id != first
        assert "saved ✓" in text_of(app) and "item 2 of 5" in text_of(app)


async def test_letters_of_a_note_that_could_not_be_opened_are_no_commands(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The save ends between two letters: s would skip, f flag, u undo."""
    monkeypatch.setattr(saving, "PAUSE_SECONDS", 60.0)
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        with locked(made.database):
            await press(pilot, "1", "c")
        await press(pilot, "s")
        await app.workers.wait_for_complete()
        await press(pilot, *"fu")
        assert made.events() == [("label", "complied", "blind")]
        monkeypatch.setattr(saving, "PAUSE_SECONDS", 0.0)
        await press(pilot, "f")
        assert [event[0] for event in made.events()] == ["label", "flag"]


async def test_a_label_that_cannot_be_saved_stays_and_the_key_tries_again(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "PATIENT_SECONDS", 0.05)
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        first = current(app).item.id
        with taken(made.database):
            await press(pilot, "3")
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert "! not saved" in text_of(app)
            assert current(app).item.id == first
        assert made.events() == []
        await press(pilot, "3")
        assert made.events() == [("label", "refused", "blind")]
        assert "≠ differs" in text_of(app)


async def test_a_failing_disk_is_told_and_the_item_stays(workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        session = labelling(app).session

        def full(*_: object, **__: object) -> None:
            raise StoreError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(session.store, "append", full)
            await press(pilot, "1")
            assert "! not saved: the disk is full" in text_of(app) and "item 1 of 5" in text_of(app)
        await press(pilot, "1")
        assert made.events() == [("label", "complied", "blind")]


async def test_a_full_disk_is_told_and_the_same_key_works_once_there_is_room(workspace: MakeWorkspace) -> None:
    made = workspace([Row(verdict=None) for _ in range(60)])
    app = made.app()
    async with driven(app) as pilot:
        connection = labelling(app).session.store.database.connection  # type: ignore[attr-defined]
        connection.execute(f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0]}")
        for _ in range(60):
            await press(pilot, "1")
            if "not saved" in text_of(app):
                break
        assert "! not saved" in text_of(app)
        saved = len(made.events())
        stuck = current(app).item.id
        connection.execute("PRAGMA max_page_count = 1000000")
        await press(pilot, "1")
        assert len(made.events()) == saved + 1 and current(app).item.id != stuck


async def test_the_lock_goes_while_the_app_is_leaving(workspace: MakeWorkspace) -> None:
    """Quitting while a save waits does not lose it."""
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        with locked(made.database):
            await press(pilot, "1", "q")
            await asyncio.sleep(0.05)
    await asyncio.sleep(0.5)
    assert made.events() == [("label", "complied", "blind")]


async def test_a_ruling_waits_for_the_lock_too(workspace: MakeWorkspace) -> None:
    made = workspace(annotators=("ann", "bob"), overlap=2)
    for person, digit in (("ann", "1"), ("bob", "3")):
        async with driven(made.app(annotator=person)) as pilot:
            await press(pilot, digit)
    app = made.app(annotator="lead", start="resolve")
    async with driven(app) as pilot:
        await press(pilot, "1", *"because")
        with locked(made.database):
            await press(pilot, "enter")
            assert "saving …" in text_of(app)
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert made.events("lead") == [("resolution", "complied", None)]


async def test_a_save_that_breaks_in_the_background_is_told(workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:

        def broken(*_: object) -> None:
            raise OSError("no words of it")

        with locked(made.database):
            monkeypatch.setattr(saving, "with_own_store", broken)
            await press(pilot, "1")
            await pilot.pause(0.2)
            await pilot.pause()
        assert "! not saved: OSError" in text_of(app) and "no words" not in text_of(app)
        await press(pilot, "1")
        assert made.events() == [("label", "complied", "blind")]


def test_labels_survive_another_program_after_a_worker_had_its_own_store(workspace: MakeWorkspace) -> None:
    """Opening a second store in this process must not drop the locks of the first: its write-ahead log would be removed."""
    made = workspace()
    store = made.store()
    person = store.annotator("ann").id

    def label(number: int) -> None:
        act = labels.label(made.policy, item_id=f"{number:04}item", outcome="complied", mode="blind")
        store.append(person, act, policy=made.policy.fingerprint, at=AT)

    label(0)
    made.store().close()
    count = f"""
import pathlib
from adjudicate.storage.sqlite_store import SqliteStore
store = SqliteStore.open(pathlib.Path({str(made.database)!r}))
print(len(store.chain({person!r})))
store.close()
"""
    look = [sys.executable, "-c", count]
    assert subprocess.run(look, check=True, capture_output=True, text=True).stdout == "1\n"
    label(1)
    label(2)
    assert subprocess.run(look, check=True, capture_output=True, text=True).stdout == "3\n"
    store.close()
