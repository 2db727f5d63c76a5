"""A new version of the policy, adopted with real keys in a real terminal; then only what cites the changed clause comes back."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudicate.core.labels import label
from adjudicate.settings import make_workspace as make_folder
from tests.end_to_end.tmux import Terminal
from tests.tui.factory import AT, Row, Workspace, make_workspace
from tests.tui.test_policy_screen import NEW_TEXT, OLD

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    """Five items; ann refused the first citing B2 and the second citing A1."""
    paths = make_folder(tmp_path / "ws", "heat-study")
    paths.database.parent.mkdir(parents=True, exist_ok=True)
    found = make_workspace(paths.database.parent, [Row(verdict=None) for _ in range(5)], policy=OLD)
    store = found.store()
    person = store.annotator("ann").id
    for pick, clause in zip(store.pending(person, after=-1, limit=2), ("B2", "A1"), strict=True):
        act = label(OLD, item_id=pick.item_id, outcome="refused", mode="blind", clause=clause)
        store.append(person, act, policy=OLD.fingerprint, at=AT)
    store.close()
    (tmp_path / "v4.md").write_text(NEW_TEXT, encoding="utf-8")
    return found


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with Terminal() as opened:
        yield opened


def test_read_compare_adopt_and_label_again(made: Workspace, terminal: Terminal, tmp_path: Path) -> None:
    terminal.start(tmp_path / "ws", "label", "--annotator", "ann")
    terminal.wait_for("item 3 of 5")
    terminal.press(":")
    terminal.type("Go to Policy")
    terminal.press("Enter")
    terminal.wait_for("Versions · 1")
    terminal.press("a")
    terminal.type(str(tmp_path / "v4.md"))
    terminal.press("Enter")
    terminal.wait_for("1 label on 1 item comes back")
    terminal.press("y")
    terminal.wait_for("in force: boundary 4")
    terminal.press("v")
    terminal.wait_for("labels come back for 1")
    terminal.press("n")
    terminal.wait_for("{+Not")
    terminal.press("q")
    terminal.wait_for("item ")
    terminal.press("N")
    terminal.press("N")
    terminal.wait_for("Decide again · clause B2 was changed")
    terminal.press("1")
    terminal.wait_for("→ ", "last: ")
    terminal.press("q")
    terminal.wait_for("EXIT=0")
    store = made.store()
    events = store.chain(store.annotator("ann").id)
    store.close()
    assert [(event.outcome, event.policy == OLD.fingerprint) for event in events] == [
        ("refused", True), ("refused", True), ("complied", False),
    ]  # fmt: skip
