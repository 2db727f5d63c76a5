"""An hour's work compressed: two hundred labels with real keys, and what is stored is what was pressed, act for act.

The keys are written down first. What must be stored follows from them by the few rules of `Desk`, which knows nothing of the
program: a digit labels and goes on, a differing verdict is shown and waits, what was shown once is no longer blind.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

from adjudicate.settings import make_workspace as make_folder
from tests.end_to_end.tmux import Terminal
from tests.tui.factory import Row, Workspace, make_policy, make_workspace

pytestmark = pytest.mark.skipif(
    shutil.which("tmux") is None or shutil.which("bash") is None, reason="needs tmux and bash, a shell that controls jobs"
)
LABELS = 200
OUTCOMES = {"1": "complied", "2": "partial", "3": "refused", "4": "harm"}
SEVERE = "4"
VERDICT = "1"
"""What the judge says wherever it says anything."""
STROKE_SECONDS = 0.03
"""Between two keys: four within this time would be taken for a paste."""
REPEAT_SECONDS = 0.2
"""Before the key that brought up this item, again: sooner would be taken for a key that bounces or is held down."""

Kind = Literal["label", "skip", "undecided", "flag", "note", "undo"]


@dataclass(frozen=True)
class Stored:
    """One act as the chain has it."""

    kind: str
    item: str
    outcome: str | None = None
    mode: str | None = None
    severity: str | None = None
    confidence: str | None = None
    undoes: int | None = None
    """Place in the chain, from 0, of what an undo takes back."""
    words: str = ""


@dataclass
class Desk:
    """What the keys so far must have come to."""

    items: list[str]
    """On the list, in its order."""
    judged: set[str]
    """Items with a verdict."""
    at: int = 0
    acts: list[Stored] = field(default_factory=list)
    undone: set[int] = field(default_factory=set)
    low: bool = False
    revealed: bool = False
    """Whether the item is labelled and waits because the verdict differs."""

    @property
    def item(self) -> str:
        """The one on screen."""
        return self.items[self.at]

    @property
    def shown(self) -> str:
        """What the screen says where this person is."""
        return f"item {self.at + 1} of {len(self.items)}" if self.at < len(self.items) else f"All {len(self.items)} items"

    @property
    def standing(self) -> dict[str, str]:
        """The labels that count in the end."""
        labels = [(act.item, act.outcome) for place, act in enumerate(self.acts) if place not in self.undone]
        return {item: outcome for item, outcome in labels if outcome is not None}

    def press(self, key: str, severity: str | None = None, words: str = "") -> None:
        """One key that does something."""
        if key in OUTCOMES:
            self._label(key, severity)
        elif key == "Enter":
            self._on()
        elif key == "l":
            self.low = not self.low
        elif key == "u":
            self._undo()
        else:
            kinds: dict[str, Kind] = {"s": "skip", "S": "undecided", "f": "flag", "c": "note"}
            self.acts.append(Stored(kinds[key], self.item, words=words))
            if key in "sS":
                self._on()

    def _label(self, key: str, severity: str | None) -> None:
        touched = any(act.kind == "label" and act.item == self.item for act in self.acts)
        mode = "revealed" if touched else "blind"
        self.acts.append(Stored("label", self.item, OUTCOMES[key], mode, severity, "low" if self.low else None))
        if mode == "blind" and self.item in self.judged and key != VERDICT:
            self.revealed = True
        else:
            self._on()

    def _undo(self) -> None:
        place = max(place for place, act in enumerate(self.acts) if place not in self.undone and act.kind != "undo")
        self.undone.add(place)
        self.acts.append(Stored("undo", self.acts[place].item, undoes=place))
        self.at, self.low, self.revealed = self.items.index(self.acts[place].item), False, False

    def _on(self) -> None:
        self.at, self.low, self.revealed = self.at + 1, False, False


def keys_for(number: int) -> list[str]:
    """What is pressed on the item with that number: mostly a digit, now and then the rest of the keyboard."""
    digit, other = "12313"[number % 5], "23122"[number % 5]
    if number % 17 == 5:
        return ["s"]
    if number % 29 == 11:
        return ["S"]
    if number % 41 == 12:
        return [SEVERE, "23"[number % 2]]
    before = (
        ["f"] * (number % 13 == 4) + ["c"] * (number % 31 == 7) + ["l"] * (number % 37 == 9) + ["f", "u"] * (number % 43 == 6)
    )
    return [*before, digit, "u", other] if number % 23 == 8 else [*before, digit]


def items_for(labels: int) -> int:
    """Items that it takes until so many are labelled."""
    done = number = 0
    while done < labels:
        done += keys_for(number)[-1] not in "sS"
        number += 1
    return number


TOTAL = items_for(LABELS)


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    """As many items as the keys are for; every tenth with a verdict."""
    paths = make_folder(tmp_path / "ws", "heat-study")
    paths.database.parent.mkdir(parents=True, exist_ok=True)
    rows = [Row(verdict=OUTCOMES[VERDICT], judged=number % 10 == 3) for number in range(TOTAL)]
    return make_workspace(paths.database.parent, rows)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with Terminal() as opened:
        yield opened


def desk_of(made: Workspace) -> Desk:
    """The list before the first key."""
    store = made.store()
    items = [pick.item_id for pick in store.pending(store.annotator("ann").id, after=-1, limit=TOTAL + 1)]
    judged = {item for item in items if store.verdicts(item)}
    store.close()
    return Desk(items, judged)


def stored(made: Workspace) -> list[Stored]:
    """The whole chain of the person."""
    store = made.store()
    events = store.chain(store.annotator("ann").id)
    notes = store.notes([event.id for event in events])
    store.close()
    places = {event.id: place for place, event in enumerate(events)}
    return [
        Stored(
            event.kind, event.item_id, event.outcome, event.mode, event.body.get("severity"), event.body.get("confidence"),
            places[event.target] if event.target else None, notes.get(event.id, ""),
        )
        for event in events
    ]  # fmt: skip


class Hand:
    """Presses keys in the terminal and in the model, and waits for the screen to follow as a person does."""

    def __init__(self, terminal: Terminal, desk: Desk) -> None:
        self.terminal = terminal
        self.desk = desk
        self._brought = ""
        """The key that brought up the item on screen."""

    def work(self, until: int) -> None:
        """All keys up to an item's number."""
        while self.desk.at < until:
            self._item(self.desk.at)

    def _item(self, number: int) -> None:
        keys = keys_for(number)
        if keys[0] == SEVERE:
            self._stroke(SEVERE)
            self.terminal.wait_for("severity")
            self._stroke(keys[1], SEVERE, severity=keys[1])
        else:
            for key in keys:
                if key == "c":
                    self._note(f"Note on number {number}: shade first.")
                else:
                    self._stroke(key, key)
        if self.desk.revealed:
            # Every other one is kept, the rest is changed after the verdict was seen.
            key = "Enter" if number % 20 < 10 else VERDICT
            self._stroke(key, key)

    def _note(self, words: str) -> None:
        self._stroke("c")
        self.terminal.wait_for("ctrl+s saves")
        self.terminal.type(words)
        self.terminal.wait_for(words)
        self._stroke("C-s", "c", words=words)
        self.terminal.wait_for("note saved")

    def _stroke(self, key: str, means: str = "", *, severity: str | None = None, words: str = "") -> None:
        """One key; `means` is what it comes to, nothing where it only opens something."""
        time.sleep(REPEAT_SECONDS if key == self._brought else STROKE_SECONDS)
        before = self.desk.at
        self.terminal.send(key)
        if not means:
            return
        self.desk.press(means, severity, words)
        if self.desk.at != before:
            self._brought = key
        self.terminal.wait_for("differs: judge says" if self.desk.revealed else self.desk.shown)
        for key_of, seen in (("f", "flagged"), ("l", "low confidence"), ("u", "taken back")):
            if means == key_of:
                self.terminal.wait_for(seen)


@pytest.mark.timeout(240)
def test_what_two_hundred_labels_leave_is_what_was_pressed(made: Workspace, terminal: Terminal, tmp_path: Path) -> None:
    desk = desk_of(made)
    hand = Hand(terminal, desk)
    start = (tmp_path / "ws", "label", "--annotator", "ann")
    terminal.start_in_shell(*start)
    terminal.wait_for(desk.shown)
    hand.work(until=60)

    # A smaller window, one that is too small, where no key does anything, and back.
    terminal.resize(80, 24)
    terminal.wait_for("tab: [Response]")
    hand.work(until=80)
    terminal.resize(59, 15)
    terminal.wait_for("too small")
    for key in "123sSfu":
        terminal.press(key)
    terminal.resize(120, 36)
    terminal.wait_for(desk.shown)
    hand.work(until=100)

    # To the shell and back.
    terminal.press("C-z")
    terminal.wait_for("Stopped")
    terminal.type("echo the shell is $((40 + 2))\n")
    terminal.wait_for("the shell is 42")
    terminal.type("fg\n")
    terminal.wait_for(desk.shown)
    hand.work(until=140)

    # Out, and in again the next day; undo reaches back over it.
    assert stored(made) == desk.acts
    terminal.press("q")
    terminal.wait_for(f"{TOTAL - 140} items left on your list.")
    made_so_far = len(desk.standing)
    assert f"{made_so_far} labels in" in terminal.screen()
    terminal.start_in_shell(*start)
    terminal.wait_for(desk.shown)
    terminal.press("u")
    desk.press("u")
    terminal.wait_for(desk.shown)
    hand.work(until=TOTAL)
    terminal.wait_for(f"All {TOTAL} items")
    terminal.press("q")
    terminal.wait_for("EXIT=0")

    assert stored(made) == desk.acts
    assert len(desk.standing) == LABELS
    store = made.store()
    current = store.database.connection.execute("SELECT item_id, outcome FROM current_labels WHERE outcome IS NOT NULL")
    assert dict(current.fetchall()) == desk.standing
    store.close()


def test_the_keys_of_the_hour_leave_nothing_out() -> None:
    """What the test above claims to press is really in its list."""
    pressed = {key for number in range(TOTAL) for key in keys_for(number)}
    assert pressed == {"1", "2", "3", "4", "s", "S", "f", "c", "l", "u"}
    assert set(OUTCOMES.values()) == {outcome.id for outcome in make_policy().outcomes}
