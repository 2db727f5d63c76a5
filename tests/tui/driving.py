"""Helpers for tests that drive a screen: its text, its session, and settling down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from textual.app import App
from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.screens.disagreements import DisagreementsScreen
from adjudicate.tui.screens.labelling import LabellingScreen
from adjudicate.workflow.item_view import ItemView

WIDE, NARROW, TINY = (120, 36), (80, 24), (50, 12)


@asynccontextmanager
async def driven(app: AdjudicateApp, size: tuple[int, int] = WIDE) -> AsyncIterator[Pilot[None]]:
    """The app on a terminal of that size, settled."""
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield pilot
        # A computation that a newer one has taken the place of is no failure.
        with suppress(WorkerCancelled):
            await app.workers.wait_for_complete()


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys as a person would and let the screen follow."""
    for key in keys:
        await pilot.press(key)
        await handled(pilot.app)
    await pilot.pause()


async def handled(app: App[None]) -> None:
    """Wait until no key waits for its turn; on a busy machine the pilot alone does not wait that long."""
    assert isinstance(app, AdjudicateApp)
    while app._typed._is_under_way and not app._exit:  # noqa: ASYNC110 - there is no event for it
        await asyncio.sleep(0.001)


async def settled(app: App[None], pilot: Pilot[None]) -> None:
    """Wait until nothing is computed any more: one computation can start the next."""
    await pilot.pause()
    await handled(app)
    while any(not worker.is_finished for worker in app.workers):
        with suppress(WorkerCancelled):
            await app.workers.wait_for_complete()
        await pilot.pause()


def text_of(app: App[None]) -> str:
    """The whole screen as text."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


def labelling(app: App[None]) -> LabellingScreen:
    """The labelling screen, below any dialog."""
    return next(screen for screen in app.screen_stack if isinstance(screen, LabellingScreen))


def resolving(app: App[None]) -> DisagreementsScreen:
    """The disagreements screen, below any dialog."""
    return next(screen for screen in app.screen_stack if isinstance(screen, DisagreementsScreen))


def clean(text: str) -> bool:
    """Whether no character in the text acts on a terminal (newlines between rows apart)."""
    return all(row.isprintable() for row in text.split("\n"))


def current(app: App[None]) -> ItemView:
    """The item on screen."""
    view = labelling(app).session.view
    assert view is not None
    return view
