"""Where every place of the table of keys is, and which keys lead there from a screen that the app can start with."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from textual.pilot import Pilot

from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.keymap import keymap
from adjudicate.tui.keys import Place
from adjudicate.tui.places import PlaceName
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import WIDE, driven, press, settled
from tests.tui.factory import Row
from tests.tui.test_policy_screen import NEW_TEXT, OLD

POLICY_FILE = "v4.md"


class Way(NamedTuple):
    """How to get to a place."""

    start: PlaceName
    keys: tuple[str, ...] = ()


WAYS: Mapping[Place, Way] = {
    "home": Way("home"),
    "label": Way("label"),
    "resolve": Way("resolve"),
    "report": Way("report"),
    "browse": Way("browse"),
    "policies": Way("policies"),
    "item": Way("browse", ("enter",)),
    "policy": Way("label", ("p",)),
    "note": Way("label", ("c",)),
    "intent": Way("label", ("i",)),
    "hidden": Way("label", ("H",)),
    "twin": Way("label", ("w",)),
    "adopt": Way("policies", ("a", POLICY_FILE, "enter")),
    "help": Way("home", ("question_mark",)),
    "case": Way("resolve", ("r",)),
    "first": Way("home", ("a",)),
    "open": Way("home", ("o",)),
}


@asynccontextmanager
async def opened(
    workspace: MakeWorkspace, tmp_path: Path, place: Place, *, keys: Mapping[str, str] | None = None
) -> AsyncIterator[tuple[AdjudicateApp, Pilot[None]]]:
    """An app at a place, with keys of one's own: two items of a pair and one more; people disagree on the first."""
    rows = [
        Row(pair="7"),
        Row(pair="7", intent="harmful", population="harmful/direct", prompt="And who should stay in?"),
        Row(pair="7", prompt="Another?"),
    ]
    (tmp_path / POLICY_FILE).write_text(NEW_TEXT, encoding="utf-8")
    way = WAYS[place]
    app = workspace(rows, policy=OLD, annotators=("ann", "bo"), overlap=2).app(start=way.start)
    app.set_keymap(keymap(keys or {}))
    async with driven(app, WIDE) as pilot:
        await settled(app, pilot)
        await walk(app, pilot, tmp_path, way)
        yield app, pilot


async def walk(app: AdjudicateApp, pilot: Pilot[None], folder: Path, way: Way) -> None:
    """From its start to the place."""
    for key in way.keys:
        typed = str(folder / POLICY_FILE) if key == POLICY_FILE else None
        await press(pilot, *(typed or [key]))
        await settled(app, pilot)
