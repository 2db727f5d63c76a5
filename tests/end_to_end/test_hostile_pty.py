"""Hostile texts in every field of every screen, through a pty: nothing acts, nothing breaks, every frame stays closed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.end_to_end.boxes import boxes
from tests.end_to_end.hostile_corpus import fuzzed, shared_texts
from tests.end_to_end.hostile_workspace import NAME, clause_id, hostile_desk
from tests.end_to_end.pty_screen import PtyScreen
from tests.end_to_end.stream import told_off
from tests.tui.factory import Workspace

TITLES = (f"{NAME} – adjudicate",)
WIDE, NARROW = (120, 36), (80, 24)
SETTLING_SECONDS = 2.0
"""How long a screen may take until its frames are closed: computations repaint it."""
DIALOGS = (("H", "q"), ("w", "q"), ("c", "\x13"), ("p", "q"), ("?", "q"), ("i", "q"))
"""Over the labelling screen, each with the key that leaves it."""

LITERAL = ("[red]", "[/nope]", "[@click=app.quit]")
"""Markup that is to be read as it is written."""
SHORT = 300
"""Characters of a text that is on screen from its beginning to its end."""


def texts_of(shared: Path, *, whole: bool) -> list[str]:
    """The fuzzed texts, and of the shared ones all or those that are more than a printing line of ASCII."""
    found = shared_texts(shared)
    if not whole:
        found = [text for text in found if not (text.isascii() and text.isprintable() and "[" not in text) and len(text) < 50_000]
        found = found[:: max(len(found) // 25, 1)]
    return [*found, *fuzzed()]


class Walk:
    """A run of the program, looked at after every key."""

    def __init__(self, screen: PtyScreen) -> None:
        self.screen = screen

    def press(self, *keys: str) -> None:
        """Each key, and a look at the screen that it brought."""
        for key in keys:
            self._press(key, over=False)

    def visit(self, opens: str, *keys: str) -> None:
        """A dialog over the screen: the key that opens it, keys in it, and the key that leaves it."""
        for key in (opens, *keys[:-1]):
            self._press(key, over=True)
        self.press(keys[-1])

    def leave(self, *keys: str) -> None:
        """Out, in order, and nothing that acts was ever said."""
        for key in keys:
            self.screen.press(key)
        assert self.screen.end() == 0, self.screen.text
        assert told_off(self.screen.sent, TITLES, (self.screen.columns, self.screen.rows)) == []

    def _press(self, key: str, *, over: bool) -> None:
        self.screen.press(key)
        until = time.monotonic() + SETTLING_SECONDS
        while faults := self._faults(over=over):
            assert not self.screen.ended, f"ended after {key!r}:\n{self.screen.text}"
            assert time.monotonic() < until, f"after {key!r}: {faults}\n{self.screen.text}"
            self.screen.rest(0.1)

    def _faults(self, *, over: bool) -> list[str]:
        """What is wrong with the frames. A dialog lies over those of its screen, so there the largest whole one must be."""
        found = boxes(self.screen.cells)
        if over:
            sizes = [(box.right - box.left, box.bottom - box.top) for box in found if not box.faults]
            return [] if any(width >= 30 and height >= 4 for width, height in sizes) else [f"no whole dialog among {found}"]
        faults = [fault for box in found for fault in box.faults]
        edges = (
            {box.left for box in found} >= {0} and max(box.right for box in found) == self.screen.columns - 1 if found else False
        )
        return faults if edges or faults else ["no frame from edge to edge"]


def label_blind(walk: Walk, texts: Sequence[str]) -> None:
    """Every item blind, raw and rendered, one dialog or another over it, then with its verdict."""
    for number, text in enumerate(texts):
        walk.screen.wait_for(f"item {number + 1} of {len(texts)}")
        walk.press("v")
        for markup in LITERAL if len(text) < SHORT else ():
            assert markup not in text or markup in walk.screen.text, f"{markup} was acted upon:\n{walk.screen.text}"
        walk.visit(*DIALOGS[number % len(DIALOGS)])
        walk.press("3")
        walk.screen.wait_for("judge says")
        # Not with Enter: the one that brought up this item would be taken for held down.
        walk.press("n")
    walk.screen.wait_for(f"All {len(texts)} items")


def settle(walk: Walk, texts: Sequence[str]) -> None:
    """Every disagreement, every pane, and over them the policy and the question of intent."""
    for number in range(1, len(texts)):
        walk.press("n")
        walk.screen.wait_for(f"{number + 1} of {len(texts)}")
    for key in "\t\t\t":
        walk.press(key)
    walk.visit("p", "j", " ", "q")
    walk.visit("i", "q")


def read_report(walk: Walk, texts: Sequence[str]) -> None:
    """Every section from its top to its end."""
    walk.press("t")
    for section in "1234567890":
        walk.press(section, *" " * 3, "G")
        for _ in range(len(texts) // 20 if section in "5678" else 0):
            walk.press("b")


def browse(walk: Walk, texts: Sequence[str]) -> None:
    """Every row with its preview, then every item opened, its text and what is said about it."""
    walk.press("i")
    walk.screen.wait_for("as imported")
    for _ in texts:
        walk.press("j")
    walk.press("g", "\r")
    for number in range(1, len(texts)):
        walk.press("n", *"\t" * (number % 2))
        walk.screen.wait_for(f"{number + 1} of {len(texts)}")


def read_policy(walk: Walk, texts: Sequence[str]) -> None:
    """Every clause, chosen in the list and read beside it; then all panes."""
    walk.press("p")
    walk.screen.wait_for(clause_id(0))
    for number in range(len(texts) + 2):
        walk.press("j", *" " * (number % 7 == 0))
    walk.screen.wait_for(f"▸ +{clause_id(len(texts) - 1)}")
    for _ in range(4):
        walk.press("\t", " ", "G")


def stay_home(walk: Walk, _texts: Sequence[str]) -> None:
    """Every pane of the home screen from top to end."""
    for _ in range(4):
        walk.press("\t", *" " * 8, "G")


PLACES: dict[str, tuple[tuple[str, ...], str, Callable[[Walk, Sequence[str]], None], str]] = {
    "labelling": (("label", "--annotator", "ann"), "item 1 of", label_blind, "q"),
    "disagreements": (("resolve", "--annotator", "lead"), "Disagreements · 1 of", settle, "q"),
    "home": ((), "enter label", stay_home, "q"),
    "report": ((), "enter label", read_report, "qq"),
    "browse": ((), "enter label", browse, "qqq"),
    "policy": ((), "enter label", read_policy, "qq"),
}
"""How each is opened, what says that it is, the walk, and the keys that leave."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("place", PLACES)
def test_a_screen_of_hostile_texts_keeps_its_frames_and_sends_nothing_that_acts(shared: Path, tmp_path: Path, place: str) -> None:
    visit(texts_of(shared, whole=False), tmp_path, place, WIDE)


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("place", PLACES)
def test_the_whole_corpus_in_every_screen_and_width(shared: Path, tmp_path: Path, place: str, size: tuple[int, int]) -> None:
    visit(texts_of(shared, whole=True), tmp_path, place, size)


def listed(made: Workspace, texts: Sequence[str]) -> list[str]:
    """The texts as they come on a person's list."""
    store = made.store()
    picks = store.pending(store.annotator("ann").id, after=-1, limit=len(texts))
    store.close()
    return [texts[int(pick.item_id[:4])] for pick in picks]


def visit(texts: Sequence[str], folder: Path, place: str, size: tuple[int, int]) -> None:
    """One walk in a workspace of its own."""
    made = hostile_desk(folder / "ws", texts)
    arguments, ready, walk, leaving = PLACES[place]
    with PtyScreen(folder / "ws", *arguments, size=size) as screen:
        screen.wait_for(ready)
        screen.rest(0.1)
        walk(walked := Walk(screen), listed(made, texts))
        walked.leave(*leaving)
