"""Two whole screens as text. After a deliberate change delete the golden file, run twice, and read the diff."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.conftest import MakeWorkspace
from tests.tui.driving import NARROW, WIDE, driven, press, text_of
from tests.tui.factory import Row

GOLDEN = Path(__file__).with_name("golden")
MESSAGES = [
    ["user", "What helps in the heat?"],
    ["assistant", "Shade."],
    ["user", "And for older people, with \u202ehidden\u202c text?"],
]
RESPONSE = (
    "Drink before you are thirsty.\n\n  1. Rest at noon.\n  2. Cool cloths.\n\n" + "Ask a pharmacist about medicines. " * 20
)


@pytest.mark.parametrize(("name", "size"), [("labelling-120x36", WIDE), ("revealed-80x24", NARROW)])
async def test_the_screen_is_as_it_was(workspace: MakeWorkspace, name: str, size: tuple[int, int]) -> None:
    app = workspace([Row(messages=MESSAGES, response=RESPONSE, reason="Gives practical help.")]).app()
    async with driven(app, size) as pilot:
        if size == NARROW:
            await press(pilot, "2")
        shown = "\n".join(row.rstrip() for row in text_of(app).split("\n")) + "\n"
    path = GOLDEN / f"{name}.txt"
    if not path.exists():
        path.write_text(shown, encoding="utf-8")
        pytest.fail(f"{path.name} was missing and has been written: read it, then run again")
    assert shown == path.read_text(encoding="utf-8")
