"""The line of the last act: what a key could not do is read whole, whatever else stands there."""

from __future__ import annotations

from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, driven, press, text_of


async def test_why_a_key_did_nothing_is_read_whole_in_a_narrow_window(workspace: MakeWorkspace) -> None:
    async with driven(workspace().app(), NARROW) as pilot:
        await press(pilot, "f")
        assert "flagged · u undo" in text_of(pilot.app)
        await press(pilot, "a")
        assert "the verdict is hidden until you decide: choose an outcome with its digit" in text_of(pilot.app)
        await press(pilot, "f")
        assert "flag taken away · u undo" in text_of(pilot.app)
