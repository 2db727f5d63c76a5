"""Keys in their turn: the next one is handed on only when the one before has done all it does.

Textual hands every key to what has the focus at once, and what a key brings about (a text field that takes the focus, a dialog
that opens) takes several turns of its queues. Keys that are there already, from a fast hand or over a slow line, would go past
it: letters of a name would be read as commands. So a key waits here until the one before it has gone its whole way and nothing
that it set off is still to be done.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable

from textual import events
from textual.app import App
from textual.command import CommandPalette
from textual.dom import DOMNode

MOST_ROUNDS = 20
"""So often it is looked whether all is done. A key needs two or three; something that never rests must not keep the keys."""
SEARCH_SECONDS = 0.02
"""Between two looks whether the command palette has found what was typed."""


class TypedAhead:
    """The keys and pastes of an app that wait for their turn."""

    def __init__(self, app: App[None], deliver: Callable[[events.Event], Awaitable[None]]) -> None:
        """Start with none.

        Args:
            app: Whose keys they are.
            deliver: Hands one to what has the focus now.
        """
        self._app = app
        self._deliver = deliver
        self._waiting: deque[events.Event] = deque()
        self._is_under_way = False
        self._key = ""
        """The one under way; empty for a paste."""

    async def take(self, event: events.Event) -> None:
        """Hand an event on in its turn: at once where none is under way."""
        self._waiting.append(event)
        if not self._is_under_way:
            self._is_under_way = True
            await self._next()

    @property
    def same_key_follows(self) -> bool:
        """Whether the key under way waits here once more: what it leads to need not be shown, since nobody could read it."""
        waiting = self._waiting[0] if self._waiting else None
        return isinstance(waiting, events.Key) and waiting.key == self._key

    async def _next(self) -> None:
        if not self._waiting:
            self._is_under_way = False
            return
        if self._must_wait_for_the_palette(self._waiting[0]):
            self._app.set_timer(SEARCH_SECONDS, self._next)
            return
        event, target = self._waiting.popleft(), self._target
        self._key = event.key if isinstance(event, events.Key) else ""
        await self._deliver(event)
        self._go_behind(target, MOST_ROUNDS)

    @property
    def _target(self) -> DOMNode:
        return self._app.focused or self._app.screen

    def _must_wait_for_the_palette(self, event: events.Event) -> bool:
        """Enter means the command whose name was typed, not the first one of a list that is still being searched."""
        if not (isinstance(event, events.Key) and event.key == "enter" and isinstance(self._app.screen, CommandPalette)):
            return False
        return any(worker.node is self._app.screen and not worker.is_finished for worker in self._app.workers)

    def _go_behind(self, target: DOMNode, rounds: int) -> None:
        """Go the way that a key bubbles, behind it: what waits in these queues is done before we arrive."""
        way = list(target.ancestors_with_self)

        def go_on(place: int) -> None:
            if place == len(way):
                self._app.call_later(self._arrived, target, rounds - 1)
            elif not way[place].call_later(go_on, place + 1):
                # It takes no more messages: it is being removed.
                go_on(place + 1)

        go_on(0)

    async def _arrived(self, target: DOMNode, rounds: int) -> None:
        if rounds and not (target is self._target and self._is_at_rest()):
            self._go_behind(self._target, rounds)
        else:
            await self._next()

    def _is_at_rest(self) -> bool:
        """Whether nothing that the key brought about is still to be done."""
        return not any(node.message_queue_size for node in (self._app, *self._app.screen.walk_children(with_self=True)))
