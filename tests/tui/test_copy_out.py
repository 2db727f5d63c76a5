"""Copying text out is a deliberate act: off unless the workspace allows it, and then what is shown, never what acts."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from textual import events

from adjudicate.settings import LabelSettings
from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.terminal_app import CLIPBOARD_BYTES
from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import TINY, driven, press, text_of
from tests.tui.factory import Row, Workspace


def app_on(made: Workspace, **label: Any) -> AdjudicateApp:
    return AdjudicateApp(made.database, "w", "ann", made.clock, "label", label=LabelSettings(**label))


def sent_by(app: AdjudicateApp, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What goes to the terminal past the screen from now on."""
    sent: list[str] = []
    assert app._driver is not None
    monkeypatch.setattr(app._driver, "write", sent.append)
    return sent


def clipboard(sent: list[str]) -> list[str]:
    codes = [each.removeprefix("\x1b]52;c;").removesuffix("\x07") for each in sent if each.startswith("\x1b]52;")]
    return [base64.b64decode(code).decode() for code in codes]


async def test_by_default_nothing_leaves_and_the_line_says_how_to_allow_it(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_on(workspace())
    async with driven(app) as pilot:
        sent = sent_by(app, monkeypatch)
        await press(pilot, "Y")
        app.copy_to_clipboard("selected")
        assert clipboard(sent) == []
        assert "copy_out = true" in text_of(app).split("\n")[-2]
        assert app.clipboard == "selected"


async def test_where_it_is_allowed_the_key_hands_out_what_is_shown(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_on(workspace([Row(response="rest\x1b[31m\r\nin the shade")]), copy_out=True)
    async with driven(app) as pilot:
        sent = sent_by(app, monkeypatch)
        await press(pilot, "Y")
        assert clipboard(sent) == ["rest␛[31m\nin the shade"]
        assert "handed to the terminal's clipboard" in text_of(app).split("\n")[-2]


async def test_what_terminals_do_not_take_is_refused_in_words(workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_on(workspace([Row(response="x" * (CLIPBOARD_BYTES + 1))]), copy_out=True)
    async with driven(app) as pilot:
        sent = sent_by(app, monkeypatch)
        await press(pilot, "Y")
        assert clipboard(sent) == []
        assert "not copied: longer than" in text_of(app).split("\n")[-2]


async def test_a_veiled_response_is_not_copied_unread(workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_on(workspace(), copy_out=True, veil=("benign",))
    async with driven(app) as pilot:
        sent = sent_by(app, monkeypatch)
        await press(pilot, "Y")
        assert clipboard(sent) == []


async def test_while_blind_and_after_the_reveal_only_the_response_is_handed_out(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_on(workspace([Row(response="Rest.", reason="canary"), Row(response="Rest.")]), copy_out=True)
    async with driven(app) as pilot:
        sent = sent_by(app, monkeypatch)
        await press(pilot, "Y", "3", "Y")
        assert "differs" in text_of(app)
        assert clipboard(sent) == ["Rest.", "Rest."]


async def test_in_a_window_that_is_too_small_the_palette_stays_shut(workspace: MakeWorkspace) -> None:
    made = workspace()
    app = made.app()
    async with driven(app, TINY) as pilot:
        before = app.screen
        await press(pilot, "ctrl+p", "colon")
        assert app.screen is before
        assert "50 columns and 12 rows" in " ".join(text_of(app).split())
    assert made.events() == []


async def test_what_is_typed_after_leaving_labels_nothing_and_opens_nothing(workspace: MakeWorkspace) -> None:
    """A command for the shell, typed ahead: its `c` opened a note in a screen that was going away."""
    made = workspace()
    app = made.app()
    async with driven(app) as pilot:
        app.exit()
        for key in ("1", "c", "s"):
            app.post_message(events.Key(key, key))
        await pilot.pause()
        assert len(app.screen_stack) <= 1
    assert made.events() == []
