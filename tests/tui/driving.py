"""Helpers for tests that drive a screen: its text, its session, and settling down."""

from __future__ import annotations

import asyncio
import gc
import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from weakref import WeakKeyDictionary

from textual import events
from textual.app import App
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen
from textual.worker import WorkerCancelled, WorkerFailed

from adjudicate.tui.app import AdjudicateApp
from adjudicate.tui.screens.disagreements import DisagreementsScreen
from adjudicate.tui.screens.labelling import LabellingScreen
from adjudicate.workflow.item_view import ItemView

WIDE, NARROW, TINY = (120, 36), (80, 24), (50, 12)
QUICK_SECONDS = 0.5
"""How long a key is waited for that a thread has to do with."""
SHOWN_SECONDS = 20
"""How long words may take that a timer brings."""
STROKE_SECONDS = 0.1
"""Between two keys of a hand; what comes much faster is taken for a paste."""
STRUCK: WeakKeyDictionary[App[None], float] = WeakKeyDictionary()
"""When the last key of an app was struck."""


@asynccontextmanager
async def driven(app: AdjudicateApp, size: tuple[int, int] = WIDE) -> AsyncIterator[Pilot[None]]:
    """The app on a terminal of that size, settled."""
    # The app looks for garbage once, after its first paint. All that the tests have loaded would be looked through too.
    gc.freeze()
    async with app.run_test(size=size) as pilot:
        await at_rest(pilot)
        yield pilot
        # A computation that a newer one has taken the place of is no failure.
        with suppress(WorkerCancelled):
            await app.workers.wait_for_complete()


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys as a person would and let the screen follow.

    The pilot's own way waits for the process to be idle for a fiftieth of a second, three times a key. Here it is looked
    whether anything is still to be done, and the key says that it came a stroke after the one before.
    """
    app, driver = pilot.app, pilot.app._driver
    assert driver is not None
    for key in keys:
        await at_rest(pilot)
        event = key_event(key)
        event.time = STRUCK[app] = max(event.time, STRUCK.get(app, 0.0) + STROKE_SECONDS)
        driver.send_message(event)
        await at_rest(pilot)
        if await quick_work_ended(app):
            await at_rest(pilot)


async def quick_work_ended(app: App[None]) -> bool:
    """Give what a thread does for a key (a save, a search) a moment to end; whether any did something.

    What lasts longer a test waits for by `settled`, and the process that measures intervals beside the screen by that alone.
    """
    tasks = [worker._task for worker in app.workers if not worker.is_finished and worker.group != "widths"]
    running = [task for task in tasks if task is not None]
    if running:
        await asyncio.wait(running, timeout=QUICK_SECONDS)
    return bool(running)


def key_event(key: str) -> events.Key:
    """The event of a key by its name or its sign, as a terminal would bring it."""
    if len(key) == 1 and not key.isalnum():
        key = _character_to_key(key)
    name = REPLACED_KEYS.get(key, key)
    try:
        character: str | None = unicodedata.lookup(_get_unicode_name_from_key(name))
    except KeyError:
        character = key if len(key) == 1 else None
    return events.Key(key, character)


async def at_rest(pilot: Pilot[None]) -> None:
    """Wait until every message is handled, every callback called and the screen painted; what a thread computes may go on."""
    app = pilot.app
    while app._running and not app._exit and app._exception is None:
        await handled(app)
        await pilot._wait_for_screen()
        await app._animator.wait_until_complete()
        app.screen._on_timer_update()
        if not any(is_busy(node) for node in (app, *app.screen.walk_children(with_self=True))):
            break


def is_busy(node: MessagePump) -> bool:
    """Whether a part of the screen still has something to do."""
    return bool(node.message_queue_size or node._next_callbacks or (isinstance(node, Screen) and node._callbacks))


async def handled(app: App[None]) -> None:
    """Wait until no key waits for its turn; on a busy machine the pilot alone does not wait that long."""
    assert isinstance(app, AdjudicateApp)
    while app._typed._is_under_way and app._running and not app._exit:  # noqa: ASYNC110 - there is no event for it
        await asyncio.sleep(0.001)


async def settled(app: App[None], pilot: Pilot[None]) -> None:
    """Wait until nothing is computed any more: one computation can start the next, and one that fails is told on the screen."""
    await at_rest(pilot)
    while any(not worker.is_finished for worker in app.workers):
        with suppress(WorkerCancelled, WorkerFailed):
            await app.workers.wait_for_complete()
        await at_rest(pilot)


async def until_shown(app: App[None], pilot: Pilot[None], words: str) -> None:
    """Wait for words that a timer brings, not a key."""
    async with asyncio.timeout(SHOWN_SECONDS):
        while words not in text_of(app):
            await asyncio.sleep(0.01)
            await at_rest(pilot)


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
