"""Pictures in a response, in tmux, which gives some of them another width than Textual does: no frame is moved."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
from wcwidth import wcwidth

from adjudicate.settings import make_workspace as make_folder
from tests.end_to_end.tmux import Terminal
from tests.tui.factory import Row, make_workspace

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")


def width(row: str) -> int:
    """Cells of a row, each character by itself, as tmux counts these."""
    return sum(max(wcwidth(character), 0) for character in row)


def faults(terminal: Terminal) -> list[str]:
    """Rows in which a side of the two panes is not in its column; all of them where the text is not there yet."""
    framed = [row for row in terminal.screen().split("\n") if row.startswith(tuple("╭│╰"))]
    whole = any("no more" in row for row in framed) and any("Mind" in row for row in framed)
    return [row for row in framed if not whole or sides(row) != [0, 77, 78, 119]]


def sides(row: str) -> list[int]:
    """Columns of a row that hold a side or a corner of a pane."""
    return [width(row[:place]) for place, character in enumerate(row) if character in "│╭╰╮╯"]


def test_a_warning_sign_a_keycap_and_a_skin_tone_leave_both_panes_whole(tmp_path: Path) -> None:
    paths = make_folder(tmp_path / "ws", "heat-study")
    paths.database.parent.mkdir(parents=True, exist_ok=True)
    text = "⚠️ Mind the heat.\n1️⃣ Shade ☺️ 2️⃣ water ✅ 3️⃣ rest 👍🏽\n✈️©️ no more"
    make_workspace(paths.database.parent, [Row(response=text, prompt=text, verdict=None) for _ in range(3)])
    with Terminal() as terminal:
        terminal.start(tmp_path / "ws", "label", "--annotator", "ann")
        for number in (1, 2):
            terminal.wait_for(f"item {number} of 3")
            until = time.monotonic() + 5
            # What tmux shows may be half of a frame.
            while faults(terminal) and time.monotonic() < until:
                time.sleep(0.05)
            assert faults(terminal) == []
            terminal.press(str(number))
        terminal.press("q")
        terminal.wait_for("EXIT=0")
