"""What the labelling screen has measured aside: how wide the intervals are by now, in pauses and in a process of its own."""

from __future__ import annotations

from textual import work
from textual.message import Message

from adjudicate.tui.bench import Bench
from adjudicate.tui.screens.workplace import Workplace
from adjudicate.workflow.interval_widths import Standing, WidthsAside
from adjudicate.workflow.label_items import LabellingSession

QUIET_SECONDS = 1.5
"""A pause in which the interval widths may be measured."""
WIDTHS_EVERY = 10


class LabellingWidths(Workplace):
    """The half of the screen that measures. The other half shows the widths, and never a rate."""

    session: LabellingSession

    class Widths(Message):
        """How wide the intervals are by now, and how long it was today."""

        def __init__(self, standing: Standing) -> None:
            super().__init__()
            self.standing = standing

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.acted_at = 0.0
        """When the person last did something, by the steady clock."""
        self._measured_at = -WIDTHS_EVERY
        self._aside = WidthsAside(bench.database, bench.annotator.id)

    def on_mount(self) -> None:
        """Look every second whether there is a pause."""
        self.set_interval(1.0, self._measure_when_quiet)

    def _measure_when_quiet(self) -> None:
        """Measure the widths again where enough was labelled since, in a pause: nobody's key waits for it."""
        if self.session.work.is_triage:
            return
        labelled = abs(self.session.progress.done - self._measured_at) >= WIDTHS_EVERY
        if labelled and self.bench.clock.tick() - self.acted_at >= QUIET_SECONDS:
            self._measured_at = self.session.progress.done
            self._compute_widths()

    @work(thread=True, exclusive=True, group="widths", exit_on_error=False)
    def _compute_widths(self) -> None:
        standing = self._aside.measure()
        if standing is not None:
            self.post_message(self.Widths(standing))

    def on_unmount(self) -> None:
        """Leaving waits for no statistics."""
        self._aside.stop()
