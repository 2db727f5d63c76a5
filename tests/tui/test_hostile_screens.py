"""Hostile text in every field of every screen: nothing acts on the terminal, nothing is read as markup."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tui.driving import NARROW, WIDE, clean, driven, press, settled, text_of
from tests.tui.factory import Row, Workspace, make_policy, make_workspace

PAYLOADS = {
    "markup": "[/nope] [b]x[/] [@click=app.quit]c[/]",
    "title": "\x1b]0;OWNED\x07",
    "screen": "\x1b[?1049l\x9b31m",
    "bidi": "a\u202eb\u2066c\u200b",
    "nul": "\x00\x7f\x85\u2028",
    "returns": "over\rwritten\ttab",
}


def hostile_workspace(folder: Path, payload: str) -> Workspace:
    def spoil(text: str) -> str:
        return f"{text} {payload}"

    policy = make_policy(spoil)
    policy = replace(
        policy,
        id=spoil("boundary"),
        version=spoil("3"),
        clauses=tuple(replace(clause, id=spoil(clause.id)) for clause in policy.clauses),
        severities=tuple(replace(grade, id=spoil(grade.id)) for grade in policy.severities),
    )
    row = Row(
        response=spoil("response"),
        prompt=spoil("prompt"),
        messages=[[spoil("user"), spoil("first")], ["assistant", spoil("second")], ["user", spoil("third")]],
        reason=spoil("reason"),
        population=spoil("population"),
        category=spoil("category"),
        language=spoil("en"),
        model=spoil("model"),
    )
    failed = replace(row, verdict=None)
    names = (spoil("ann"), spoil("bob"))
    return make_workspace(folder, [row, row, failed], policy=policy, annotators=names, overlap=2, text=spoil)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", PAYLOADS)
async def test_no_screen_passes_anything_on(tmp_path: Path, name: str, size: tuple[int, int]) -> None:
    payload = PAYLOADS[name]
    made = hostile_workspace(tmp_path, payload)
    ann, bob = f"ann {payload} {payload}", f"bob {payload} {payload}"
    labelling = ["1", "N", "3", "enter", "4", "1", "i", "escape", "p", "j", "slash", "a", "enter", "escape", "c", "x", "escape"]
    walks = (
        (ann, "label", [*labelling, "tab", "tab", "tab", "question_mark", "q", "colon", "escape", "c", "y", "ctrl+s"]),
        (bob, "label", ["3", "enter", "1", "a", "x", "f", "l"]),
        (bob, "resolve", ["i", "i", "tab", "tab", "p", "enter", "4", "1", "r", "n", "enter", "u"]),
        (ann, "home", ["tab", "tab", "tab", "t", "tab", "tab", "tab", "q", "r"]),
        (ann, "report", [*"z2345678903", "j", "r"]),
    )
    for person, start, keys in walks:
        app = made.app(annotator=person, start=start)  # type: ignore[arg-type]
        async with driven(app, size) as pilot:
            app.notify(payload, title=payload, markup=False)
            for key in ["", *keys]:
                if key:
                    await press(pilot, key)
                if start == "report":
                    await settled(app, pilot)
                assert clean(text_of(app)), f"{start} after {key!r}: {text_of(app)!r}"
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert clean(text_of(app))
        assert app.return_code in (0, None)
