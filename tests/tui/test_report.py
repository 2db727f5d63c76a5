"""The report by its keys: sections computed when first shown, kept until `r`, and said to be stale when labels have come."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui import report_sections
from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.report_blocks import Sheet
from adjudicate.tui.report_sections import SECTIONS, Asked, Compute, Section
from adjudicate.tui.screens import report as report_screen
from adjudicate.tui.screens import report_work
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, WIDE, driven, press, settled, text_of
from tests.tui.factory import Row, Workspace
from tests.tui.labelled_store import label_items


def rows() -> list[Row]:
    benign = [Row(verdict="refused" if number % 3 == 0 else "complied") for number in range(12)]
    harmful = [Row(verdict="complied", intent="harmful", population="harmful/direct") for _ in range(4)]
    return [*benign, *harmful]


def labelled(workspace: MakeWorkspace, people: tuple[str, ...] = ("ann",)) -> Workspace:
    """Everybody calls everything full compliance."""
    made: Workspace = workspace(rows(), annotators=people, overlap=len(people))
    for person in people:
        label_items(made, person, 16)
    return made


def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each computation runs."""
    times: Counter[str] = Counter()

    def counting(section: Section) -> Section:
        real = section.compute
        wrapped[real] = wrapped.get(real) or counting_compute(real.__name__, real)
        return Section(section.key, section.name, section.title, section.short, section.heading, wrapped[real], section.empty)

    def counting_compute(name: str, real: Compute) -> Compute:
        def compute(store: SqliteStore, asked: Asked) -> Sheet:
            times[name] += 1
            return real(store, asked)

        return compute

    wrapped: dict[Compute, Compute] = {}
    use(monkeypatch, tuple(map(counting, SECTIONS)))
    return times


def use(monkeypatch: pytest.MonkeyPatch, sections: tuple[Section, ...]) -> None:
    """Other sections than the program's."""
    for module in (report_screen, report_work):
        monkeypatch.setattr(module, "SECTIONS", sections)


def bar(app: AdjudicateApp) -> str:
    return text_of(app).split("\n")[1]


async def test_wide_shows_the_main_four_together_with_raw_beside_corrected(workspace: MakeWorkspace) -> None:
    app = labelled(workspace).app(start="report")
    async with driven(app) as pilot:
        await settled(app, pilot)
        shown = text_of(app)
        assert "16 of 16 items labelled" in shown
        assert "Benign refusal · benign/general" in shown
        assert "raw" in shown and "corrected" in shown and "●" in shown and "○" in shown
        for heading in ("Rates, raw and corrected", "Judge against gold", "Agreement, blind labels", "Warnings"):
            assert f"{heading}" in shown
        await press(pilot, "z")
        assert "Warnings ·" not in text_of(app) and "Boundary score" in text_of(app)
        await press(pilot, "z", "end")
        assert "Warnings ·" in text_of(app)


async def test_a_pushed_report_shows_the_main_four_too(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="home")
    async with driven(app) as pilot:
        await press(pilot, "t")
        await settled(app, pilot)
        assert "Judge against gold" in text_of(app) and "have no label yet" in text_of(app)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_each_digit_leads_to_its_section_full_of_its_tables(workspace: MakeWorkspace, size: tuple[int, int]) -> None:
    app = labelled(workspace, ("ann", "bob")).app(start="report")
    expected = {
        "2": "accuracy", "3": "percent agreement", "4": "none", "5": "anchoring gap", "6": "mean score",
        "7": "benign_refusal|Benign refusal", "8": "false alarm", "9": "More labels for ± 2.0 points",
        "0": "no verdict has a score", "t": "Labels by day .UTC.: 32 on 1 day", "c": "there is one run, one model and one judge",
    }  # fmt: skip
    async with driven(app, size) as pilot:
        for key, words in expected.items():
            await press(pilot, key)
            await settled(app, pilot)
            assert re.search(words, text_of(app)), f"{key}: {text_of(app)}"
        assert all(each in bar(app) for each in "1234567890tc")


async def test_narrow_shows_one_section_at_a_time_and_tab_goes_on(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="report")
    async with driven(app, NARROW) as pilot:
        await settled(app, pilot)
        assert "Rates, raw and corrected" in text_of(app) and "Judge against gold" not in text_of(app)
        await press(pilot, "4")
        assert "have no label yet" in text_of(app)
        await press(pilot, "tab")
        assert "Anchoring ·" in text_of(app) or "Anchoring" in text_of(app).split("\n")[2]
        await press(pilot, "shift+tab", "shift+tab", "shift+tab")
        assert "Judge against gold" in text_of(app) and "have no label" not in text_of(app)
        assert "zoom" not in text_of(app)
        await press(pilot, "c", "tab")
        assert "Rates, raw and corrected" in text_of(app)


async def test_a_section_is_computed_once_when_first_shown(workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    made = labelled(workspace)
    times = counted(monkeypatch)
    app = made.app(start="report")
    async with driven(app) as pilot:
        await settled(app, pilot)
        assert times == {"rates": 1, "judge": 1, "agreement": 1}
        await press(pilot, "7")
        await settled(app, pilot)
        await press(pilot, "1", "7", "4", "2")
        await settled(app, pilot)
        assert times == {"rates": 1, "judge": 1, "agreement": 1, "slices": 1}
        await press(pilot, "7", "r")
        await settled(app, pilot)
        assert times["slices"] == 2 and times["rates"] == 1, "only what is shown is computed at once"
        await press(pilot, "1")
        await settled(app, pilot)
        assert times["rates"] == 2, "the rest when it is next shown"


async def test_numbers_older_than_the_labels_say_so_until_r(workspace: MakeWorkspace) -> None:
    app = workspace(rows()).app(start="report")
    async with driven(app, NARROW) as pilot:
        await settled(app, pilot)
        assert "Rates, raw and corrected · 03:04:05 UTC ─" in text_of(app)
        app.action_go("label")
        await press(pilot, "1", "q")
        assert "1 label since 03:04 · r renews" in text_of(app) and "0 of 16 items labelled" in text_of(app)
        await press(pilot, "r")
        await settled(app, pilot)
        assert "since" not in text_of(app) and "1 of 16 items labelled" in text_of(app)


async def test_a_section_that_breaks_says_so_and_the_others_go_on(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_store: SqliteStore, _asked: Asked) -> Sheet:
        raise ZeroDivisionError("response text [/nope]")

    sections = tuple(
        Section(each.key, each.name, each.title, each.short, each.heading, broken) if each.name == "judge" else each
        for each in SECTIONS
    )
    use(monkeypatch, sections)
    app = workspace(rows()).app(start="report")
    async with driven(app) as pilot:
        await settled(app, pilot)
        shown = text_of(app)
        assert "could not be computed (ZeroDivisionError)" in shown and "nope" not in shown
        assert "Agreement, blind labels · 03:04:05 UTC" in shown and "have no label yet" in shown


async def test_both_intents_are_shown_once_one_is_ruled_on(workspace: MakeWorkspace) -> None:
    made = workspace([*rows(), Row(verdict="refused")], annotators=("ann", "bob"), overlap=2)
    for person, last in (("ann", "1"), ("bob", "3")):
        async with driven(made.app(annotator=person)) as pilot:
            for place in range(17):
                await press(pilot, last if place == 16 else "1", "enter")
    async with driven(made.app(annotator="lead", start="resolve")) as pilot:
        await press(pilot, "i", "i", "1", *"It asks for harm.", "enter")
    app = made.app(start="report")
    async with driven(app, NARROW) as pilot:
        await settled(app, pilot)
        shown = text_of(app)
        await press(pilot, "space")
        assert "declared and under adjudicated intents" in shown + text_of(app)


def test_every_section_has_its_own_digit_and_pane() -> None:
    assert [section.key for section in SECTIONS] == [*"1234567890tc"]
    assert len({section.name for section in SECTIONS}) == len(SECTIONS)
    assert {section.name for section in SECTIONS} > report_sections.OVERVIEW
