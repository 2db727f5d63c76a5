"""Sending items to triage in a worker; the screen is told what became of it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import partial

from textual.app import App
from textual.message import Message

from adjudicate.errors import AdjudicateError
from adjudicate.tui.bench import Bench, with_own_store
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.tui.theme import DONE, HARM


class Triaged(Message):
    """Items are in the queue, or out of it, or where they were."""

    def __init__(self, words: str, *, is_good: bool, sent: Container[int] = (), taken_out: Container[int] = ()) -> None:
        """Tell it.

        Args:
            words: What became of the items.
            is_good: Whether it is what was wanted.
            sent: Rowids of those that are in the queue now.
            taken_out: Rowids of those that are in it no more.
        """
        super().__init__()
        self.words, self.is_good = f"{DONE if is_good else HARM} {words}", is_good
        self.sent, self.taken_out = sent, taken_out

    @property
    def style(self) -> str:
        """The colour of the words."""
        return "$done" if self.is_good else "$harm bold"


def triage(screen: Workplace, chosen: Sequence[int]) -> None:
    """Put items into the queue, or take them out where all are in it; `Triaged` follows.

    Args:
        screen: Whose worker it is.
        chosen: Rowids of the items, in their order.
    """
    send = partial(_send, screen.bench, chosen)
    screen.run_worker(lambda: screen.post_message(send()), thread=True, group="triage", exit_on_error=False)


def _send(bench: Bench, chosen: Sequence[int]) -> Triaged:
    from adjudicate.workflow.triage import toggle

    try:
        sent = with_own_store(bench.database, lambda store: toggle(store, chosen, bench.annotator, at=bench.clock.now()))
    except AdjudicateError as problem:
        return Triaged(f"not sent to triage: {problem}", is_good=False)
    if sent.added:
        return Triaged(f"{sent.words()} · {{go.triage}} labels what is there", is_good=True, sent=frozenset(chosen))
    return Triaged(sent.words(), is_good=True, taken_out=frozenset(chosen))


def tell_who_labels(app: App[None]) -> None:
    """Whoever has gone on to the queue already finds there what has arrived since."""
    from adjudicate.tui.screens.triage import TriageScreen

    if isinstance(app.screen, TriageScreen):
        # In its turn: the screen may have no panes yet.
        app.screen.call_later(app.screen.come_back)
