"""Typed ahead: everything comes in one burst, before the screen has followed the first key; each key goes where it was meant.

Each test is one call of ``tmux send-keys`` to a program that is stopped meanwhile: it finds all bytes there at once.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adjudicate.settings import make_workspace as make_folder
from tests.end_to_end.tmux import Terminal
from tests.tui.factory import Row, Workspace, make_workspace
from tests.tui.test_policy_screen import NEW_TEXT, OLD

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")

Start = Callable[..., Terminal]


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    """Five items, one of them about sleep, on the lists of ann and bo, who differ on the first; the next policy is in v4.md."""
    paths = make_folder(tmp_path / "ws", "heat-study")
    paths.database.parent.mkdir(parents=True, exist_ok=True)
    rows = [Row(response=f"Answer {number}. Drink water.", verdict=None) for number in range(5)]
    rows[3] = Row(response="Sleep in a cool room. Sleep long.", verdict=None)
    (tmp_path / "v4.md").write_text(NEW_TEXT, encoding="utf-8")
    return make_workspace(paths.database.parent, rows, policy=OLD, annotators=("ann", "bo"), overlap=2)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with Terminal() as opened:
        yield opened


@contextmanager
def held(terminal: Terminal) -> Iterator[None]:
    """The program does nothing meanwhile, as on a machine that is busy with other things."""
    process = terminal.child()
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def burst(terminal: Terminal, *keys: str) -> None:
    """All keys at once, there before the program looks."""
    with held(terminal):
        terminal.send(*keys)


def events(made: Workspace, annotator: str = "ann") -> list[tuple[str, str | None]]:
    return [(kind, outcome) for kind, outcome, _ in made.events(annotator)]


def test_a_path_goes_into_the_field_that_its_first_key_opens(made: Workspace, terminal: Terminal, tmp_path: Path) -> None:
    """Read as commands, the letters would search, compare and leave."""
    terminal.start(tmp_path / "ws", "label", "--annotator", "ann")
    terminal.wait_for("item 1 of 5")
    burst(terminal, ":", "Go to Policy", "Enter", "a", str(tmp_path / "v4.md"), "Enter")
    terminal.wait_for("Adopt boundary 4 in place of boundary 3?")
    assert events(made) == []


@pytest.mark.usefixtures("made")
def test_words_go_into_the_search_of_the_policy_and_what_follows_enter_does_not(terminal: Terminal, tmp_path: Path) -> None:
    terminal.start(tmp_path / "ws")
    terminal.wait_for("? help")
    burst(terminal, "p", "/", "say no", "Enter", "?")
    terminal.wait_for("Keys while reading the policy")
    terminal.press("Escape")
    terminal.wait_for("Clauses · 1 with “say no”")


@pytest.mark.usefixtures("made")
def test_words_go_into_the_filter_of_the_items_and_enter_opens_what_was_found(terminal: Terminal, tmp_path: Path) -> None:
    """From Home on: the list is not there yet when its filter is typed. Read as commands, e would export and x select none."""
    terminal.start(tmp_path / "ws")
    terminal.wait_for("? help")
    burst(terminal, "i", "/", "cool room", "Enter")
    terminal.wait_for("1 found")
    terminal.press("Enter")
    terminal.wait_for("1 of 1")
    assert "Sleep in a cool room." in terminal.screen()
    assert not list((tmp_path / "ws" / "exports").glob("items-*"))


def test_words_to_find_in_a_response_label_nothing(made: Workspace, terminal: Terminal, tmp_path: Path) -> None:
    """Read as commands, l, s and u would act; after Enter m goes to the second place."""
    terminal.start(tmp_path / "ws", "label", "--annotator", "ann")
    terminal.wait_for("item 1 of 5")
    burst(terminal, "/", "drink", "Enter", "?")
    terminal.wait_for("Keys while labelling")
    terminal.press("Escape")
    terminal.wait_for("“drink”", "1 of 1")
    assert events(made) == []


def test_a_note_begins_with_its_first_letter(made: Workspace, terminal: Terminal, tmp_path: Path) -> None:
    """Read as commands, s would skip and f would flag."""
    terminal.start(tmp_path / "ws", "label", "--annotator", "ann")
    terminal.wait_for("item 1 of 5")
    burst(terminal, "c", "sufficient as first aid", "C-s")
    terminal.wait_for("note saved")
    assert events(made) == [("note", None)]
    store = made.store()
    noted = store.chain(store.annotator("ann").id)
    assert store.notes([each.id for each in noted])[noted[0].id] == "sufficient as first aid"
    store.close()


def test_a_clause_is_searched_and_cited_in_one_go(made: Workspace, terminal: Terminal, tmp_path: Path) -> None:
    terminal.start(tmp_path / "ws", "label", "--annotator", "ann")
    terminal.wait_for("item 1 of 5")
    burst(terminal, "p", "/", "lecture", "Enter", "Enter")
    terminal.wait_for("Clause A1 cited")
    assert events(made) == []


def test_a_ruling_is_made_with_its_whole_reason(made: Workspace, terminal: Terminal, tmp_path: Path) -> None:
    for person, digit in (("ann", "1"), ("bo", "3")):
        terminal.start(tmp_path / "ws", "label", "--annotator", person)
        terminal.wait_for("item 1 of 5")
        terminal.press(digit)
        terminal.wait_for("item 2 of 5")
    terminal.start(tmp_path / "ws", "resolve", "--annotator", "lead")
    terminal.wait_for("1 of 1")
    burst(terminal, "1", "due to clause B2", "Enter")
    terminal.wait_for("Nothing is open")
    assert events(made, "lead") == [("resolution", "complied")]
    store = made.store()
    (ruling,) = store.chain(store.annotator("lead").id)
    store.close()
    assert ruling.body["rationale"] == "due to clause B2", json.dumps(ruling.body)


def test_what_follows_a_closed_dialog_is_for_the_screen_below(made: Workspace, terminal: Terminal, tmp_path: Path) -> None:
    """Q closes the help; a second q would leave the program."""
    terminal.start(tmp_path / "ws", "label", "--annotator", "ann")
    terminal.wait_for("item 1 of 5")
    burst(terminal, "?", "q", "s")
    terminal.wait_for("skipped")
    assert events(made) == [("skip", None)]


def test_what_is_typed_after_leaving_does_nothing_here(made: Workspace, terminal: Terminal, tmp_path: Path) -> None:
    terminal.start(tmp_path / "ws", "label", "--annotator", "ann")
    terminal.wait_for("item 1 of 5")
    burst(terminal, "q", "1")
    terminal.wait_for("EXIT=0")
    assert events(made) == []
