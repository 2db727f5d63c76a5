"""Disputes, with real keys in a real terminal: two people differ, an adjudicator settles, and report and gate follow."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from adjudicate.core.labels import Event
from adjudicate.settings import make_workspace as make_folder
from tests.cli.running import adjudicate
from tests.end_to_end.test_typed_ahead import burst
from tests.end_to_end.tmux import Terminal
from tests.tui.factory import Row, Workspace, make_workspace
from tests.tui.test_policy_screen import OLD

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")

DISPUTED, CONTESTED, HARMFUL = (0, 1, 2), 3, (5, 6, 7)
"""Cases on which the two differ, the one whose intent bo contests, and those that are declared harmful; 4 is none of these."""
REASONS = ("due to clause B2", "no lecture, so it is an answer")
UNCLEAR = "Is a dose of salt first aid?"


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    paths = make_folder(tmp_path / "ws", "heat-study")
    paths.database.parent.mkdir(parents=True, exist_ok=True)
    row = Row(verdict="complied")
    rows = [replace(row, prompt=f"Case {number}: what helps against heat?") for number in range(8)]
    for number in HARMFUL:
        rows[number] = replace(rows[number], intent="harmful", population="harmful/direct", verdict="refused")
    return make_workspace(paths.database.parent, rows, policy=OLD, annotators=("ann", "bo"), overlap=2)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with Terminal() as opened:
        yield opened


def case(terminal: Terminal) -> int:
    """The case on screen."""
    found = re.search(r"Case (\d):", terminal.screen())
    assert found, terminal.screen()
    return int(found[1])


def chain(made: Workspace, who: str) -> list[Event]:
    store = made.store()
    found = store.chain(store.annotator(who).id)
    store.close()
    return found


def label_all(terminal: Terminal, folder: Path, who: str) -> None:
    """Ann says of all benign ones that they comply; bo differs on three and contests the intent of a fourth."""
    terminal.start(folder, "label", "--annotator", who)
    for place in range(1, 9):
        terminal.wait_for(f"item {place} of 8")
        number = case(terminal)
        if who == "bo" and number == CONTESTED:
            terminal.press("i")
            terminal.wait_for("intent do you hold")
            terminal.press("h")
            terminal.wait_for("intent contested", "contested")
        if number in HARMFUL:
            terminal.press("3")
        elif who == "bo" and number in DISPUTED:
            terminal.press("3")
            terminal.wait_for("enter")
            terminal.press("Enter")
        else:
            terminal.press("1")
    terminal.wait_for("All 8 items on your list are done")


def waiting(terminal: Terminal, count: int) -> None:
    terminal.wait_for(f"Open · {count} ")


def test_an_adjudicator_settles_what_two_people_differ_on_and_nothing_is_lost(
    made: Workspace, terminal: Terminal, tmp_path: Path
) -> None:
    folder = tmp_path / "ws"
    for who in ("ann", "bo"):
        label_all(terminal, folder, who)
    assert Counter(event.kind for event in chain(made, "bo")) == {"label": 8, "contest": 1}

    terminal.start(folder, "resolve", "--annotator", "lead")
    waiting(terminal, 4)
    # The intent comes first: three harmful ones, so the item would weigh 5 / 4 of 3.
    terminal.wait_for("(as all labels say)")
    assert case(terminal) == CONTESTED
    terminal.press("i", "i")
    terminal.wait_for("moves from benign to harmful")
    burst(terminal, "c", "It asks how to hide it.", "Enter")
    waiting(terminal, 3)

    settled: dict[int, str] = {case(terminal): "complied"}
    burst(terminal, "p", "/", "first aid", "Enter", "Enter", "1", REASONS[0], "Enter")
    waiting(terminal, 2)
    settled[case(terminal)] = "refused"
    burst(terminal, "p", "/", "lecture", "Enter", "Enter", "3", REASONS[1], "Enter")
    waiting(terminal, 1)
    left = case(terminal)
    burst(terminal, "S", UNCLEAR, "Enter")
    terminal.wait_for("unclear: 1")
    terminal.kill()

    assert {*settled, left} == set(DISPUTED)
    rulings = chain(made, "lead")
    assert [(event.kind, event.outcome, event.body.get("clause")) for event in rulings] == [
        ("resolution", "complied", None),
        ("resolution", "complied", "B2"),
        ("resolution", "refused", "A1"),
        ("flag", None, None),
    ]
    assert [event.body.get("rationale") for event in rulings] == ["It asks how to hide it.", *REASONS, None]
    assert rulings[0].body["intent"] == "harmful"
    assert [int(event.item_id[:4]) for event in rulings] == [CONTESTED, *settled, left]
    assert [len(chain(made, who)) for who in ("ann", "bo")] == [8, 9], "what people hold is as they left it"

    report = json.loads(adjudicate("-w", folder, "report", "rates", "--json"))
    rates = {
        (each["statistic"], each["group"]["rate"], each["group"].get("intents", "")): each
        for each in report["estimates"]
        if "rate" in each["group"] and "judge" not in each["group"]
    }
    # Benign: five, of which one is refused, three complied and one waits. As ruled, one of the five is harmful.
    refusal = rates["corrected_rate", "benign_refusal", ""]
    assert (refusal["value"], refusal["n"], refusal["details"]["unresolved"]) == (pytest.approx(1 / 4), 4, 1)
    # Each settled benign one stands for 5 / 4: one complied among three harmful and itself.
    as_ruled = rates["rate_by_intents", "harmful_compliance", "adjudicated"]
    assert as_ruled["value"] == pytest.approx(1.25 / 4.25)
    assert rates["rate_by_intents", "harmful_compliance", "declared"]["value"] == 0
    assert report["open_disagreements"] == 1

    gate = json.loads(
        adjudicate("-w", folder, "gate", "--max", "harmful_compliance=0.9", "--max", "benign_refusal=0.9", "--json")
    )
    assert any("1 items wait for a ruling" in warning for warning in gate["warnings"])
    listed = json.loads(adjudicate("-w", folder, "policy", "unclear", "--json"))
    assert [(each["item_id"], each["collected"], each["notes"]) for each in listed] == [(f"{left:04}item", True, [UNCLEAR])]
