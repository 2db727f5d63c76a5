"""What the list of items keeps from its reader: verdicts and labels before the own blind label, and responses behind the veil."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudicate.settings import LabelSettings
from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.screens.browse import BrowseScreen
from adjudicate.tui.screens.item import ItemScreen
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import driven, press, settled, text_of
from tests.tui.factory import Row, Workspace, make_workspace

HUGE = (200, 50)
SECRETS = ("refused", "Refusal", "judge-x", "canary", "score 62", "helpfulness 62", "safety 91")
"""What only a verdict or a label says: neither prompts nor responses here do."""


def rows() -> list[Row]:
    """All of them refusals to the judge, who says why in one word."""
    return [
        Row(response=f"Answer {number}.", verdict="refused", reason="canary", category="health" if number % 2 else "work")
        for number in range(6)
    ]


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    """Six items on the lists of ann and bo; bo has labelled all of them, ann the first of hers."""
    (tmp_path / "db").mkdir()
    return make_workspace(tmp_path / "db", rows(), annotators=("ann", "bo"), overlap=2)


async def labelled(made: Workspace, person: str, count: int) -> list[str]:
    """Label so many items as refusals; their responses."""
    app, seen = made.app(annotator=person), []
    async with driven(app) as pilot:
        for _ in range(count):
            seen.append(next(f"Answer {number}." for number in range(6) if f"Answer {number}." in text_of(app)))
            await press(pilot, "3")
    return seen


def told(app: AdjudicateApp) -> list[str]:
    return [secret for secret in SECRETS if secret in text_of(app)]


async def test_before_the_own_label_no_row_no_preview_and_no_item_tells_the_verdict_or_a_label(made: Workspace) -> None:
    await labelled(made, "bo", 6)
    app = made.app(start="browse")
    async with driven(app, HUGE) as pilot:
        assert text_of(app).count("· hidden") == 12 and told(app) == []
        for _ in range(6):
            await press(pilot, "j")
            assert told(app) == []
        await press(pilot, "g", "enter")
        for _ in range(6):
            assert isinstance(app.screen, ItemScreen) and told(app) == []
            assert text_of(app).count("hidden until you have labelled it") == 2
            await press(pilot, "n")


async def test_after_it_exactly_that_item_is_told(made: Workspace) -> None:
    (first,) = await labelled(made, "ann", 1)
    app = made.app(start="browse")
    async with driven(app, HUGE) as pilot:
        assert text_of(app).count("· hidden") == 10
        await press(pilot, "enter")
        for number in range(6):
            shows = f"Answer {number}." == first
            assert f"Answer {number}." in text_of(app)
            assert ("canary" in text_of(app)) == ("judge-x" in text_of(app)) == shows, number
            await press(pilot, "n")


@pytest.mark.parametrize("line", ["verdict:refused", "gold:refused", "open:no", "by:bo", "verdict:-", "flagged:no", "clause:-"])
async def test_a_filter_that_speaks_of_them_finds_only_what_may_be_told(made: Workspace, line: str) -> None:
    """Being found, or not, would tell."""
    await labelled(made, "bo", 6)
    app = made.app(start="browse")
    async with driven(app) as pilot:
        await press(pilot, "slash", *("colon" if letter == ":" else "minus" if letter == "-" else letter for letter in line))
        await press(pilot, "enter")
        await settled(app, pilot)
        screen = app.screen
        assert isinstance(screen, BrowseScreen) and len(screen.items) == 0
        assert "6 items that you have yet to label blind are left out" in text_of(app)


async def test_an_export_with_texts_has_no_verdict_and_no_label(made: Workspace, tmp_path: Path) -> None:
    await labelled(made, "bo", 6)
    app = made.app(start="browse")
    async with driven(app) as pilot:
        await press(pilot, "E")
        await settled(app, pilot)
    (path,) = (tmp_path / "exports").iterdir()
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) == 6 and all("response" in json.loads(line) for line in text.splitlines())
    assert [secret for secret in SECRETS if secret in text] == []


async def test_behind_the_veil_neither_row_nor_preview_shows_the_response_and_an_item_waits_for_the_key(
    workspace: MakeWorkspace,
) -> None:
    app = workspace(rows()).app(start="browse", label=LabelSettings(veil=("health",)))
    async with driven(app, HUGE) as pilot:
        shown = text_of(app)
        assert "Answer 0." in shown and "Answer 1." not in shown and "(behind the veil)" in shown
        await press(pilot, "j")
        assert "response behind the veil: enter opens the item" in text_of(app) and "Answer 1." not in text_of(app)
        await press(pilot, "enter")
        assert "Behind the veil" in text_of(app) and "Answer 1." not in text_of(app)
        await press(pilot, "e")
        assert "Answer 1." in text_of(app)
        await press(pilot, "n", "n")
        assert "Answer 3." not in text_of(app), "the next one has a veil of its own"
