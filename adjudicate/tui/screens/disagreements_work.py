"""What the disagreements screen has counted in a worker: how much hangs on each item, what a ruling on an intent would move."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from textual import work
from textual.message import Message
from textual.worker import Worker, get_current_worker

from adjudicate.stats.foreseen import Foreseen
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.tui.bench import while_wanted
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.workflow.weigh_disputes import IntentRuling, Weighed, foresee_ruling, weigh

Result = TypeVar("Result")


class DisputeWork(Workplace):
    """The half of the screen that counts. The other half shows what was found."""

    class Weighing(Message):
        """The queue is weighed."""

        def __init__(self, weighed: Weighed) -> None:
            super().__init__()
            self.weighed = weighed

    class Foresight(Message):
        """What a ruling would move is counted."""

        def __init__(self, ruling: IntentRuling, foreseen: Foreseen) -> None:
            super().__init__()
            self.ruling = ruling
            self.foreseen = foreseen

    @work(thread=True, exclusive=True, group="weigh", exit_on_error=False)
    def start_weighing(self, before: Weighed | None) -> None:
        """Count what hangs on each item that waits; what was counted before and still holds is not counted again."""
        weighed = self._read(get_current_worker(), lambda store: weigh(store, before))
        if weighed is not None:
            self.post_message(self.Weighing(weighed))

    @work(thread=True, exclusive=True, group="foresee", exit_on_error=False)
    def start_foreseeing(self, weighed: Weighed, ruling: IntentRuling) -> None:
        """Count what a ruling on an intent would move."""
        foreseen = self._read(get_current_worker(), lambda store: foresee_ruling(store, weighed, ruling))
        if foreseen is not None:
            self.post_message(self.Foresight(ruling, foreseen))

    def _read(self, worker: Worker[object], compute: Callable[[SqliteStore], Result]) -> Result | None:
        """Compute with a store of its own; None once nobody waits for it."""
        return while_wanted(self.bench.database, lambda: worker.is_cancelled, compute)
