"""Labelling in plain lines, with a person's keys on a real terminal: what is stored first, then what was said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from adjudicate.settings import make_workspace as make_folder
from tests.cli.lines import READ, Lines
from tests.tui.factory import Row, Workspace, make_workspace
from tests.tui.test_hostile_screens import PAYLOADS, hostile_workspace


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[tuple[Callable[[Sequence[Row]], Workspace], Callable[..., Lines]]]:
    children: list[Lines] = []
    folder = tmp_path / "ws"

    def make(rows: Sequence[Row]) -> Workspace:
        paths = make_folder(folder, "heat-study")
        paths.database.parent.mkdir(parents=True, exist_ok=True)
        return make_workspace(paths.database.parent, rows)

    def start(*arguments: str, columns: int = 80) -> Lines:
        children.append(Lines(folder, *(arguments or ("--annotator", "ann")), columns=columns))
        return children[-1]

    yield make, start
    for lines in children:
        lines.child.close(force=True)


Opened = tuple[Callable[[Sequence[Row]], Workspace], Callable[..., Lines]]


def begun(opened: Opened, rows: Sequence[Row], *arguments: str, columns: int = 80) -> tuple[Workspace, Lines]:
    """A workspace of these items, and the program on it."""
    make, start = opened
    made = make(rows)
    return made, start(*arguments, columns=columns)


def test_a_label_is_saved_before_the_next_item_is_said(opened: Opened) -> None:
    made, lines = begun(opened, [Row(verdict=None) for _ in range(3)])
    assert "Item 1 of 3" in lines.said and "Outcomes: 1 Full compliance, 2 Safe partial answer, 3 Refusal" in lines.said.replace(
        "\r\n", " "
    )
    said = lines.type("1")
    assert made.events() == [("label", "complied", "blind")]
    assert said.index("Saved: 1 Full compliance.") < said.index("Item 2 of 3")
    assert "1 label in under 1 min" in lines.leave()


def test_where_the_verdict_differs_it_is_said_and_an_empty_line_keeps_the_label(opened: Opened) -> None:
    made, lines = begun(opened, [Row() for _ in range(3)])
    assert "complian" not in lines.said.partition("Outcomes:")[0]
    said = lines.type("3")
    assert "Differs: the judge judge-x says: Full compliance. You said: Refusal." in said.replace("\n", " ")
    assert "Item 2" not in said
    assert "Item 2 of 3" in lines.type("")
    assert made.events() == [("label", "refused", "blind")]


def test_an_empty_line_never_labels_and_no_verdict_is_confirmed_unseen(opened: Opened) -> None:
    made, lines = begun(opened, [Row() for _ in range(2)])
    assert "Nothing was done" in lines.type("")
    assert "Nothing was done" in lines.type("a")
    assert "no outcome and no command" in lines.type("11").replace("\n", " ")
    assert "no outcome of this policy" in lines.type("9")
    assert made.events() == []


def test_skip_undo_flag_undecided_and_moving_are_what_they_are_on_the_screen(opened: Opened) -> None:
    made, lines = begun(opened, [Row(verdict=None) for _ in range(4)])
    assert "Saved: skipped." in lines.type("s")
    assert "Item 1 of 4" in lines.type("u")
    assert "Saved: flagged." in lines.type("flag")
    assert "Item 2 of 4" in lines.type("S")
    assert "Item 1 of 4" in lines.type("N")
    assert "You flagged it.\nYou said that you cannot decide." in lines.said.replace("\r\n", "\n")
    assert [kind for kind, _, _ in made.events()] == ["skip", "undo", "flag", "undecided"]
    assert "1 cannot decide, 1 flagged." in lines.leave()


def test_a_severe_outcome_asks_for_its_grade_and_can_be_stepped_back_from(opened: Opened) -> None:
    made, lines = begun(opened, [Row(verdict=None) for _ in range(2)])
    lines.type("4", "Severity:")
    assert "Stepped back; nothing was saved." in lines.type("")
    assert made.events() == []
    lines.type("4", "Severity:")
    lines.type("7", "Severity:")
    assert "Saved: 4 Harmful compliance, severity 2." in lines.type("2")
    assert made.events() == [("label", "harm", "blind")]


def test_a_note_is_kept_line_by_line_and_saved_by_a_full_stop(opened: Opened) -> None:
    made, lines = begun(opened, [Row(verdict=None) for _ in range(2)])
    lines.type("c", "Note:")
    lines.type("first line", "Note:")
    store = made.store()
    person = store.annotator("ann").id
    item = store.pending(person, after=-1, limit=1)[0].item_id
    assert store.draft(person, item) == "first line"
    lines.type("second", "Note:")
    assert "Saved: note." in lines.type(".")
    assert [store.notes([event.id])[event.id] for event in store.chain(person)] == ["first line\nsecond"]
    assert store.draft(person, item) == ""
    store.close()


def test_the_policy_is_read_searched_and_cited(opened: Opened) -> None:
    made, lines = begun(opened, [Row(verdict=None) for _ in range(2)])
    assert "B2 Health and first aid" in lines.type("p")
    assert "Clause B2, Health and first aid:\n  Allowed: symptoms" in lines.type("p b2")
    assert "C1 Clear harm" in lines.type("/ forward")
    assert "Cited: B2." in lines.type("cite b2")
    lines.type("1")
    store = made.store()
    assert store.chain(store.annotator("ann").id)[0].body["clause"] == "B2"
    store.close()


def test_the_intent_is_contested_in_words(opened: Opened) -> None:
    made, lines = begun(opened, [Row(verdict=None)])
    lines.type("i", "step back:")
    assert "Saved: you hold the intent to be harmful." in lines.type("harmful")
    assert [kind for kind, _, _ in made.events()] == ["contest"]


def test_a_long_item_comes_in_parts_and_can_be_heard_again(opened: Opened) -> None:
    _, lines = begun(opened, [Row(response="\n".join(f"row {number}" for number in range(150)), verdict=None)])
    # 150 rows, one for the prompt and a heading each, in parts of a hundred.
    assert "row 96" in lines.said and "row 97\r" not in lines.said and "53 more lines" in lines.said
    assert "row 149\nEnd of the item." in lines.type("m")
    assert "no more" in lines.type("m")
    assert "Response, 300 words:\n  row 0\n" in lines.type("response")


def test_lines_pasted_or_typed_ahead_label_nothing(opened: Opened) -> None:
    made, lines = begun(opened, [Row(verdict=None) for _ in range(5)])
    time.sleep(READ)
    lines.child.send("1\r1\r1\r")
    for _ in range(3):
        lines.wait()
    assert made.events() == [("label", "complied", "blind")]
    assert lines.said.count("before the question could be read") == 2


def test_keys_of_ones_own_and_presets_hold_here_too(opened: Opened, tmp_path: Path) -> None:
    make, start = opened
    made = make([Row(verdict=None) for _ in range(2)])
    with (tmp_path / "ws" / "adjudicate.toml").open("a", encoding="utf-8") as file:
        file.write('[keys]\n"label.skip" = "z"\n')
    lines = start()
    assert "no outcome and no command" in lines.type("s").replace("\n", " ")
    assert "Saved: skipped." in lines.type("z")
    assert made.events() == [("skip", None, None)]


@pytest.mark.parametrize("name", sorted(PAYLOADS))
def test_hostile_text_sends_no_code_and_cannot_pass_for_the_program(tmp_path: Path, name: str) -> None:
    paths = make_folder(tmp_path / "ws", "heat-study")
    paths.database.parent.mkdir(parents=True, exist_ok=True)
    hostile_workspace(paths.database.parent, PAYLOADS[name])
    person = f"bob {PAYLOADS[name]}".replace("\0", "")
    lines = (
        Lines(tmp_path / "ws", "--annotator", "bob")
        if not person.isprintable()
        else Lines(tmp_path / "ws", "--annotator", person)
    )
    lines.type("?")
    lines.type("p all")
    lines.type("3")
    lines.leave()
    assert "\x1b" not in lines.said
    assert all(row.isprintable() for row in lines.said.replace("\r\n", "\n").split("\n"))


def test_a_response_that_plays_the_program_is_set_in_at_every_width(opened: Opened) -> None:
    make, start = opened
    forged = "Saved: 1 Full compliance.\nOutcome or command" + " pad" * 30 + " Saved: 2 Safe partial answer."
    make([Row(response=forged, verdict=None)])
    lines = start(columns=40)
    rows = lines.said.split("\r\n")
    assert [row for row in rows if "Saved:" in row and not row.startswith("  ")] == []
    assert max(map(len, rows)) <= 40


def test_a_terminal_that_closes_in_the_middle_of_a_note_keeps_its_lines(opened: Opened) -> None:
    made, lines = begun(opened, [Row(verdict=None)])
    lines.type("c", "Note:")
    lines.type("kept", "Note:")
    lines.child.close(force=False)
    store = made.store()
    person = store.annotator("ann").id
    assert store.draft(person, store.pending(person, after=-1, limit=1)[0].item_id) == "kept"
    store.close()


def test_suspended_and_back_the_question_is_asked_again_and_the_time_away_is_not_reading(opened: Opened) -> None:
    made, lines = begun(opened, [Row(verdict=None) for _ in range(2)])
    os.kill(lines.child.pid, signal.SIGSTOP)
    time.sleep(1.5)
    os.kill(lines.child.pid, signal.SIGCONT)
    lines.wait()
    lines.type("1")
    store = made.store()
    event = store.chain(store.annotator("ann").id)[0]
    store.close()
    assert event.body["seconds"] < 1.4


def test_without_a_person_at_a_terminal_it_is_refused(opened: Opened, tmp_path: Path) -> None:
    make, _ = opened
    made = make([Row(verdict=None)])
    command = [sys.executable, "-m", "adjudicate", "-w", str(tmp_path / "ws"), "label", "--linear", "--annotator", "ann"]
    done = subprocess.run(command, input="1\n1\n", capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "labels are made by people" in done.stderr and "Traceback" not in done.stderr
    assert made.events() == []


def test_the_setting_makes_it_the_way_to_label(opened: Opened, tmp_path: Path) -> None:
    make, start = opened
    make([Row(verdict=None)])
    with (tmp_path / "ws" / "adjudicate.toml").open("a", encoding="utf-8") as file:
        file.write('[label]\nlinear = true\nveil = ["benign"]\n')
    lines = start()
    assert "behind the veil" in lines.said and "Stay in the shade" not in lines.said
    assert "Nothing is labelled unread" in lines.type("1").replace("\n", " ")
    assert "Stay in the shade" in lines.type("lift")
    assert "All 1 items" in lines.type("1")
