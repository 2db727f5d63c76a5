"""The labelling screen on the triage queue: the same keys, other items, and labels that are in no rate."""

from __future__ import annotations

from adjudicate.tui.bench import Bench
from adjudicate.tui.screens.labelling import LabellingScreen
from adjudicate.workflow.own_list import WorkList
from adjudicate.workflow.triage import TriageList


class TriageScreen(LabellingScreen):
    """One person going through what somebody picked."""

    NAME = "triage"

    @staticmethod
    def work_of(bench: Bench) -> WorkList:
        """The queue, as far as it is theirs."""
        return TriageList(bench.store, bench.annotator.id)
