"""The pictures of the documentation, made from the real screens over the demo workspace.

    python docs/make_pictures.py [FOLDER]

Writes one SVG for each row of PICTURES. Where Chromium is installed each also becomes a PNG.
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
from typing import NamedTuple

from textual.pilot import Pilot

from adjudicate.formats.policy_file import read_policy
from adjudicate.settings import resource
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.places import PlaceName
from adjudicate.workflow.acting import Clock
from adjudicate.workflow.demo import fill_demo

AT = "2026-11-29T10:00:00.000Z"
WIDE, NARROW = (120, 36), (80, 24)


class Picture(NamedTuple):
    """One screen after some keys."""

    name: str
    place: PlaceName
    person: str
    keys: tuple[str, ...] = ()
    size: tuple[int, int] = WIDE


RULING = ("2", *"The crisis line is part of the help.")
PICTURES: Sequence[Picture] = (
    Picture("home", "home", "you"),
    Picture("labelling", "label", "you"),
    Picture("revealed", "label", "you", ("3",)),
    Picture("disagreements", "resolve", "dana", RULING),
    Picture("report", "report", "you"),
    Picture("report-judge", "report", "you", ("2",)),
    Picture("report-slices", "report", "you", ("7",)),
    Picture("report-time", "report", "you", ("t",)),
    Picture("browse", "browse", "you", ("j", "j")),
    Picture("policy", "policies", "you", ("j", "j", "j")),
    Picture("report-plan", "report", "you", ("9",), NARROW),
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


async def drawn(picture: Picture) -> str:
    """The screen as SVG."""
    ticks = count()
    with tempfile.TemporaryDirectory() as name:
        clock = Clock(now=lambda: AT, tick=lambda: float(next(ticks)))
        app = AdjudicateApp(demo(Path(name)), "demo", picture.person, clock, picture.place, colours="dark")
        async with app.run_test(size=picture.size) as pilot:
            await pilot.pause()
            for key in picture.keys:
                await pilot.press("full_stop" if key == "." else "space" if key == " " else key)
            await settled(app, pilot)
            return without_remote_fonts(app.export_screenshot(title="adjudicate"))


async def settled(app: AdjudicateApp, pilot: Pilot[None]) -> None:
    """Until nothing is computed any more: one computation can start the next."""
    await pilot.pause()
    while any(not worker.is_finished for worker in app.workers):
        await app.workers.wait_for_complete()
        await pilot.pause()


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
    for picture in PICTURES:
        target = folder / f"{picture.name}.svg"
        target.write_text(asyncio.run(drawn(picture)), encoding="utf-8")
        as_png(target)
        print(target)


if __name__ == "__main__":
    main()
