"""Hostile text in every field of every screen: nothing acts on the terminal, nothing is read as markup."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adjudicate.core.text import hidden_characters, visible
from adjudicate.tui.widgets.text_layout import Paragraph, lay_out
from tests.tui.driving import NARROW, WIDE, clean, driven, press, settled, text_of
from tests.tui.factory import Row, Workspace, make_policy, make_workspace

ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
PAYLOADS = {
    "markup": "[/nope] [b]x[/] [@click=app.quit]c[/]",
    "title": "\x1b]0;OWNED\x07",
    "screen": "\x1b[?1049l\x9b31m",
    "bidi": "a\u202eb\u2066c\u200b",
    "nul": "\x00\x7f\x85\u2028",
    "returns": "over\rwritten\ttab",
}
SIZES = (WIDE, NARROW)


def all_after(name: str) -> str:
    """Every payload in one text, that of the name first: where a cell is cut off, it is the one that stays."""
    names = list(PAYLOADS)
    place = names.index(name)
    return " ".join(PAYLOADS[each] for each in names[place:] + names[:place])


def size_for(name: str) -> tuple[int, int]:
    """Half of the payloads come first on a wide terminal, half on a narrow one; all of them stand on both."""
    return SIZES[list(PAYLOADS).index(name) % len(SIZES)]


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
        pair=spoil("pair"),
    )
    failed = replace(row, verdict=None)
    names = (spoil("ann"), spoil("bob"))
    return make_workspace(folder, [row, row, failed], policy=policy, annotators=names, overlap=2, text=spoil)


@pytest.mark.parametrize("name", PAYLOADS)
async def test_no_screen_passes_anything_on(tmp_path: Path, name: str) -> None:
    payload, size = all_after(name), size_for(name)
    made = hostile_workspace(tmp_path, payload)
    ann, bob = f"ann {payload} {payload}", f"bob {payload} {payload}"
    labelling = ["1", "N", "3", "enter", "4", "1", "i", "escape", "p", "j", "slash", "a", "enter", "escape", "c", "x", "escape"]
    reading = ["v", "o", "slash", "r", "enter", "m", "M", "escape", "v", "H", "space", "escape", "w", "escape", "e", "o"]
    walks = (
        (ann, "label", [*reading, *labelling, "tab", "tab", "tab", "question_mark", "q", "colon", "escape", "c", "y", "ctrl+s"]),
        (bob, "label", ["3", "enter", "1", "a", "x", "f", "l"]),
        (bob, "resolve", ["r", "escape", "t", "escape", "i", "i", "tab", "tab", "p", "enter", "4", "1", "r", "n", "enter", "u"]),
        (ann, "home", ["tab", "tab", "tab", "t", "tab", "tab", "tab", "q", "r"]),
    )
    for person, start, keys in walks:
        app = made.app(annotator=person, start=start)  # type: ignore[arg-type]
        async with driven(app, size) as pilot:
            app.notify(payload, title=payload, markup=False)
            for key in ["", *keys]:
                if key:
                    await press(pilot, key)
                assert clean(text_of(app)), f"{start} after {key!r}: {text_of(app)!r}"
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert clean(text_of(app))
        assert app.return_code in (0, None)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_no_section_of_the_report_passes_anything_on(tmp_path: Path, size: tuple[int, int]) -> None:
    """With every payload in every text at once: to compute all sections for each of them alone would take minutes."""
    payload = " ".join(PAYLOADS.values())
    app = hostile_workspace(tmp_path, payload).app(annotator=f"ann {payload} {payload}", start="report")
    async with driven(app, size) as pilot:
        await settled(app, pilot)
        for key in [*"z234567890tc3", "j", "r", "1", "l", "enter"]:
            await press(pilot, key)
            await settled(app, pilot)
            assert clean(text_of(app)), f"after {key!r}: {text_of(app)!r}"


def strings_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value, names too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inside in value.items():
            yield name
            yield from strings_in(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from strings_in(inside)


def hostile_texts(shared: Path) -> Iterator[str]:
    """Every text of the hostile logs, and every line of theirs that is no JSON."""
    for path in sorted((shared / "hostile").glob("*.jsonl")):
        for line in path.read_bytes().decode("utf-8", "surrogateescape").split("\n"):
            try:
                yield from strings_in(json.loads(line))
            except (ValueError, RecursionError):
                yield line


@pytest.mark.parametrize("raw", [False, True], ids=["rendered", "raw"])
def test_the_hostile_corpus_is_clean_and_whole_rendered_and_raw(shared: Path, *, raw: bool) -> None:
    """No character acts on the terminal or turns the order of the others, at any width; nothing else is left out."""
    texts = list(hostile_texts(shared))
    assert len(texts) > 500
    for text in texts:
        for width in (20, 90):
            layout = lay_out([Paragraph(text, markdown=True)], width, raw=raw)
            assert not any(ACTING.search(row) for row in layout.rows), text[:80]
            if raw:
                assert "".join(layout.rows).replace(" ", "") == visible(text).replace(" ", "").replace("\n", "")


async def test_the_hostile_corpus_on_the_labelling_screen_rendered_and_raw(shared: Path, tmp_path: Path) -> None:
    odd = sorted({text for text in hostile_texts(shared) if hidden_characters(text)}, key=lambda text: (len(text), text))
    rows = [Row(response=text.encode("utf-8", "replace").decode()) for text in odd[:: max(len(odd) // 25, 1)]]
    app = make_workspace(tmp_path, rows).app()
    async with driven(app) as pilot:
        for _ in rows:
            for key in ("v", "H", "escape", "v", "n"):
                await press(pilot, key)
                assert clean(text_of(app))
