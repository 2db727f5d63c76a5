"""The search behind the list of items: in a worker with a store of its own, in portions, the newest request only."""

from __future__ import annotations

from array import array
from functools import partial
from itertools import count

from textual.message import Message
from textual.worker import get_current_worker

from adjudicate.errors import AdjudicateError
from adjudicate.storage.browse import Interrupted
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.bench import with_own_store
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.workflow.browse_filter import Filter
from adjudicate.workflow.browse_items import Found, Ordering, look_for

SEARCHING = "searching …"
STOPPED = "stopped: filters and orders need the items to be read once; {browse.filter} or {browse.order} goes on"


class Search:
    """Finds items for a screen, which it tells by messages. One search at a time: what an earlier one says is not told."""

    class Told(Message):
        """Something about the search that is waited for: how far the reading is, or what was found."""

        def __init__(self, search: int) -> None:
            super().__init__()
            self.search = search

    class Portion(Told):
        """Something was found."""

        def __init__(self, search: int, found: Found, *, is_first: bool, is_last: bool) -> None:
            super().__init__(search)
            self.found, self.is_first, self.is_last = found, is_first, is_last

    class Reading(Told):
        """The index is being brought up to date."""

        def __init__(self, search: int, words: str) -> None:
            super().__init__(search)
            self.words = words

    class Failed(Told):
        """There is no result."""

        def __init__(self, search: int, reason: str) -> None:
            super().__init__(search)
            self.reason = reason

    def __init__(self, screen: Workplace) -> None:
        self._screen = screen
        self._numbers = count(1)
        self._number = 0
        """Of the search that is waited for."""
        self._is_stopped = False
        self.at_work = ""
        """What it is doing, in words; empty when it has ended."""
        self.told = Found(array("q"))
        """What the last portion said beside its items."""

    def look(self, wanted: Filter, ordering: Ordering, *, is_only_reading: bool) -> None:
        """Start a search; the one before ends.

        Args:
            wanted: The filter.
            ordering: One of `workflow.browse_items.ORDERS`.
            is_only_reading: Nothing is looked for: what filters need is made ready, and nothing waits for it.
        """
        self._number = next(self._numbers)
        self._is_stopped = False
        self.told = Found(array("q"))
        self.at_work = "" if is_only_reading else SEARCHING
        find = partial(self._find, self._number, wanted, ordering, is_only_reading=is_only_reading)
        self._screen.run_worker(find, thread=True, exclusive=True, group="search", exit_on_error=False)

    @property
    def is_searching(self) -> bool:
        """Whether more may be found."""
        return self.at_work == SEARCHING

    def stop(self) -> None:
        """End a long reading; the search goes on with what was read."""
        self._is_stopped = bool(self.at_work)

    def broke(self, name: str) -> None:
        """Tell that the worker broke with an error of this kind."""
        self._tell(self.Failed(self._number, f"the search broke off ({name})"))

    def hears(self, message: Told) -> bool:
        """Whether a message is about the search that is waited for; remembers what it says of the work."""
        if message.search != self._number:
            return False
        if isinstance(message, self.Portion):
            self.told = message.found
            self.at_work = "" if message.is_last else SEARCHING
        else:
            self.at_work = message.words if isinstance(message, self.Reading) else ""
        return True

    # In the worker

    def _find(self, number: int, wanted: Filter, ordering: Ordering, *, is_only_reading: bool) -> None:
        find = partial(self._look_for, number, wanted, ordering, is_only_reading=is_only_reading)
        try:
            with_own_store(self._screen.bench.database, find)
        except Interrupted:
            if self._is_stopped:
                self._tell(self.Failed(number, STOPPED))
        except AdjudicateError as problem:
            self._tell(self.Failed(number, str(problem)))

    def _look_for(self, number: int, wanted: Filter, ordering: Ordering, store: SqliteStore, *, is_only_reading: bool) -> None:
        worker, bench = get_current_worker(), self._screen.bench

        def told(what: str, now: tuple[int, int]) -> bool:
            self._tell(self.Reading(number, f"reading {what} for the search {100 * now[0] // max(now[1], 1)} %"))
            return not self._is_stopped

        is_first = True
        portions = look_for(
            store, bench.annotator.id, bench.policy, wanted, ordering, is_cancelled=lambda: worker.is_cancelled, told=told
        )
        for found in portions:
            if is_only_reading:
                self._tell(self.Reading(number, ""))
                return
            self._tell(self.Portion(number, found, is_first=is_first, is_last=not len(found.rowids)))
            is_first = False

    def _tell(self, message: Told) -> None:
        self._screen.post_message(message)
