"""Hostile text in every cell of the list, in the preview, in an opened item, and in the filter line itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Input

from adjudicate.core import labels
from tests.tui.driving import clean, driven, press, settled, text_of
from tests.tui.factory import AT
from tests.tui.test_hostile_screens import PAYLOADS, all_after, hostile_workspace, size_for


@pytest.mark.parametrize("name", PAYLOADS)
async def test_no_cell_of_the_list_passes_anything_on(tmp_path: Path, name: str) -> None:
    payload, size = all_after(name), size_for(name)
    (tmp_path / "db").mkdir()
    made = hostile_workspace(tmp_path / "db", payload)
    store = made.store()
    bob = store.annotator(f"bob {payload} {payload}").id
    for act in (
        labels.label(made.policy, item_id="0000item", outcome="refused", mode="blind", clause=made.policy.clauses[0].id),
        labels.Act("note", "0000item", note=f"note {payload}"),
        labels.resolution(made.policy, item_id="0000item", outcome="partial", rationale=f"because {payload}", settles=[]),
    ):
        store.append(bob, act, policy=made.policy.fingerprint, at=AT)
    store.close()
    # Bob has labelled the first item; lead is on no list and may see everything.
    for person in (f"bob {payload} {payload}", "lead"):
        app = made.app(person, start="browse")
        async with driven(app, size) as pilot:
            line = app.query_one("#filter", Input)
            for key in (
                "",
                "j",
                "k",
                "o",
                "o",
                "o",
                "O",
                "space",
                "tab",
                "j",
                "tab",
                "enter",
                "tab",
                "space",
                "r",
                "n",
                "N",
                "q",
                "e",
                "E",
            ):
                if key:
                    await press(pilot, key)
                await settled(app, pilot)
                assert clean(text_of(app)), f"{person} after {key!r}: {text_of(app)!r}"
            for typed in (payload, f'population:"{payload}"', f"by:{payload}", f"{payload}:x", f'model:"model {payload}"'):
                line.value = typed
                await settled(app, pilot)
                assert clean(text_of(app)), f"{typed!r}: {text_of(app)!r}"
        assert app.return_code in (0, None)
    for path in (tmp_path / "exports").iterdir():
        for row in path.read_text(encoding="utf-8").removesuffix("\n").split("\n"):
            json.loads(row)
