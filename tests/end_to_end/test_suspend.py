"""To the shell and back while labelling: the terminal is the shell's meanwhile, and the session is where it was."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudicate.settings import make_workspace as make_folder
from tests.end_to_end.tmux import Terminal
from tests.tui.factory import Row, Workspace, make_workspace

pytestmark = pytest.mark.skipif(
    shutil.which("tmux") is None or shutil.which("bash") is None, reason="needs tmux and bash, a shell that controls jobs"
)
AWAY_SECONDS = 2.0


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    paths = make_folder(tmp_path / "ws", "heat-study")
    paths.database.parent.mkdir(parents=True, exist_ok=True)
    return make_workspace(paths.database.parent, [Row(verdict=None) for _ in range(20)])


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with Terminal() as opened:
        yield opened


def seconds_of_labels(made: Workspace) -> list[float]:
    store = made.store()
    events = store.chain(store.annotator("ann").id)
    store.close()
    return [event.body["seconds"] for event in events if event.kind == "label"]


def test_ctrl_z_gives_the_shell_its_terminal_and_fg_comes_back_to_the_item(
    made: Workspace, terminal: Terminal, tmp_path: Path
) -> None:
    terminal.start_in_shell(tmp_path / "ws", "label", "--annotator", "ann")
    terminal.wait_for("item 1 of 20")
    terminal.press("1")
    terminal.wait_for("item 2 of 20")
    assert terminal.title() == "heat-study – adjudicate 1"
    terminal.press("C-z")
    terminal.wait_for("Stopped")
    assert terminal.title().endswith(" 0")
    terminal.type("echo the shell is $((40 + 2))\n")
    terminal.wait_for("the shell is 42")
    time.sleep(AWAY_SECONDS)
    terminal.type("fg\n")
    terminal.wait_for("item 2 of 20")
    assert terminal.title().endswith(" 1")
    terminal.press("2")
    terminal.wait_for("item 3 of 20")
    assert made.events() == [("label", "complied", "blind"), ("label", "partial", "blind")]
    assert seconds_of_labels(made)[1] < AWAY_SECONDS
    terminal.press("q")
    terminal.wait_for("18 items left on your list.")
    assert "2 labels in under 1 min." in terminal.screen()
    # The shell has its terminal back: what is typed shows and is done.
    terminal.type("echo still $((40 + 2))\n")
    terminal.wait_for("still 42")


def test_a_window_resized_while_suspended_and_while_labelling_is_laid_out_anew(
    made: Workspace, terminal: Terminal, tmp_path: Path
) -> None:
    terminal.start_in_shell(tmp_path / "ws", "label", "--annotator", "ann")
    terminal.wait_for("item 1 of 20")
    terminal.resize(80, 24)
    terminal.wait_for("tab: [Response]")
    terminal.press("1")
    terminal.wait_for("item 2 of 20")
    terminal.press("C-z")
    terminal.wait_for("Stopped")
    terminal.resize(50, 12)
    terminal.type("fg\n")
    terminal.wait_for("too small")
    assert "50 columns and 12 rows" in " ".join(terminal.screen().split())
    terminal.press("1")
    terminal.resize(120, 36)
    terminal.wait_for("item 2 of 20")
    assert made.events() == [("label", "complied", "blind")]
    terminal.press("1")
    terminal.wait_for("item 3 of 20")
    assert len(made.events()) == 2


def test_stopped_from_outside_and_let_go_on_the_terminal_is_whole(made: Workspace, terminal: Terminal, tmp_path: Path) -> None:
    """As a debugger or a job scheduler does it: the program has no chance to leave its mode first."""
    terminal.start_in_shell(tmp_path / "ws", "label", "--annotator", "ann")
    terminal.wait_for("item 1 of 20")
    os.kill(terminal.child(), signal.SIGSTOP)
    terminal.wait_for("]+")
    terminal.type("fg\n")
    # The screen is painted anew once the program is back; a key before that would go to the shell's line.
    terminal.wait_until_gone("Stopped")
    terminal.wait_for("item 1 of 20")
    time.sleep(1)
    terminal.press("1")
    terminal.wait_for("item 2 of 20")
    assert "│" in terminal.screen() and "Stopped" not in terminal.screen()
    terminal.press("q")
    terminal.wait_for("19 items left on your list.")
    terminal.type("echo still $((40 + 2))\n")
    terminal.wait_for("still 42")
    assert made.events() == [("label", "complied", "blind")]


def test_no_key_is_lost_to_a_stop_from_outside(made: Workspace, terminal: Terminal, tmp_path: Path) -> None:
    """Stopped again before it has put the terminal right after the first time, it does so when the keys are there already."""
    terminal.start(tmp_path / "ws", "label", "--annotator", "ann")
    terminal.wait_for("item 1 of 20")
    process = terminal.child()
    for place in (2, 3, 4):
        os.kill(process, signal.SIGSTOP)
        os.kill(process, signal.SIGCONT)
        time.sleep(0.02)
        os.kill(process, signal.SIGSTOP)
        terminal.send("1")
        time.sleep(0.3)
        os.kill(process, signal.SIGCONT)
        terminal.wait_for(f"item {place} of 20")
    assert made.events() == [("label", "complied", "blind")] * 3


def test_ctrl_z_in_the_note_takes_back_typing_and_leaves_nobody(made: Workspace, terminal: Terminal, tmp_path: Path) -> None:
    terminal.start_in_shell(tmp_path / "ws", "label", "--annotator", "ann")
    terminal.wait_for("item 1 of 20")
    terminal.press("c")
    terminal.wait_for("ctrl+s saves")
    terminal.type("abc")
    terminal.press("C-z")
    time.sleep(0.3)
    assert "Stopped" not in terminal.screen() and "ctrl+s saves" in terminal.screen()
    assert made.events() == []


def test_linear_labelling_is_suspended_by_the_terminal_itself(made: Workspace, terminal: Terminal, tmp_path: Path) -> None:
    terminal.start_in_shell(tmp_path / "ws", "label", "--annotator", "ann", "--linear")
    terminal.wait_for("Outcome or command:")
    terminal.press("C-z")
    terminal.wait_for("Stopped")
    terminal.type("clear; fg\n")
    terminal.wait_for("Outcome or command:")
    terminal.press("1", "Enter")
    terminal.wait_for("Item 2 of 20")
    assert made.events() == [("label", "complied", "blind")]
