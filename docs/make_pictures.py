"""The pictures of the documentation, made from the real screens over the demo workspace.

    python docs/make_pictures.py [FOLDER]

Writes labelling.svg, revealed.svg, disagreements.svg and report.svg. Where Chromium is installed each also becomes a PNG.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from adjudicate.formats.policy_file import read_policy
from adjudicate.settings import resource
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.app import AdjudicateApp, PlaceName
from adjudicate.workflow.demo import fill_demo
from adjudicate.workflow.label_items import Clock

AT = "2026-11-29T10:00:00.000Z"
SIZE = (120, 36)
PICTURES: Sequence[tuple[str, PlaceName, str, tuple[str, ...]]] = (
    ("labelling", "label", "you", ()),
    ("revealed", "label", "you", ("3",)),
    ("disagreements", "resolve", "dana", ("2", *"The crisis line is part of the help.")),
    ("report", "report", "you", ()),
)


def demo(folder: Path) -> Path:
    """A demo workspace's database."""
    database = folder / "adjudicate.db"
    store = SqliteStore.open(database, create=True)
    policy = resource("policies", "refusal-boundary.md")
    data = Path(__file__).resolve().parents[1] / "adjudicate" / "demo"
    fill_demo(store, read_policy(policy.read_text(encoding="utf-8"), policy.name), data, now=lambda: AT)
    store.close()
    return database


async def picture(place: PlaceName, person: str, keys: Sequence[str]) -> str:
    """One screen as SVG, after some keys."""
    ticks = count()
    with tempfile.TemporaryDirectory() as name:
        clock = Clock(now=lambda: AT, tick=lambda: float(next(ticks)))
        app = AdjudicateApp(demo(Path(name)), "demo", person, clock, place)
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            for key in keys:
                await pilot.press("full_stop" if key == "." else "space" if key == " " else key)
            await app.workers.wait_for_complete()
            await pilot.pause()
            return without_remote_fonts(app.export_screenshot(title="adjudicate"))


def without_remote_fonts(svg: str) -> str:
    """Textual names a font on somebody's server; a picture of ours asks nobody."""
    return re.sub(r"@font-face\s*\{.*?\}", "", svg, flags=re.DOTALL).replace("Fira Code", "DejaVu Sans Mono")


def as_png(svg: Path) -> None:
    """The SVG as Chromium shows it, which is exact; nothing where there is no Chromium."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg.read_text(encoding="utf-8"))
    if browser is None or box is None:
        return
    size = f"--window-size={int(float(box[1])) + 1},{int(float(box[2])) + 1}"
    shot = f"--screenshot={svg.with_suffix('.png')}"
    command = [browser, "--headless=new", "--no-sandbox", "--hide-scrollbars", shot, size, svg.resolve().as_uri()]
    subprocess.run(command, check=True, capture_output=True)


def main() -> None:
    """Make them all."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    folder.mkdir(parents=True, exist_ok=True)
    for name, place, person, keys in PICTURES:
        target = folder / f"{name}.svg"
        target.write_text(asyncio.run(picture(place, person, keys)), encoding="utf-8")
        as_png(target)
        print(target)


if __name__ == "__main__":
    main()
