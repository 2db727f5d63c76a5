"""What the labelling screen may show of one item, and what its person has said about it so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adjudicate.core import labels
from adjudicate.core.items import Item, Verdict
from adjudicate.core.labels import Event, Mode
from adjudicate.core.policy import Clause
from adjudicate.storage.rows import Pick


@dataclass(frozen=True, slots=True)
class Own:
    """What this person has said about the item so far."""

    label: Event | None = None
    skipped: bool = False
    undecided: bool = False
    flagged: bool = False
    note: str = ""
    again: Event | None = None
    """Their label (or that they could not decide) that the policy in force wants made again; then no label stands."""
    contested: str = ""
    """The intent that the person holds to be right, or empty."""
    touched: bool = False
    """Whether a label of theirs has ever stood here or in triage, even one taken back: from then on nothing is blind."""


@dataclass(frozen=True, slots=True)
class ItemView:
    """Everything the screen may show of one item."""

    item: Item
    pick: Pick
    clauses: tuple[Clause, ...]
    """Clauses that matter for this item, most specific first."""
    own: Own
    verdict: Verdict | None
    """None while it must stay hidden, or where there is none."""
    mode: Mode
    """How a label made now would count."""


def shown_verdict(verdicts: Sequence[Verdict], judge: str | None) -> Verdict | None:
    """The verdict that people see: of the judge that the item was drawn by, the first one's where there is no such judge."""
    if judge is None:
        return next(iter(verdicts), None)
    return next((verdict for verdict in verdicts if verdict.judge == judge), None)


def dealt_with(own: Own) -> bool:
    """Whether the item counts as done on the person's list."""
    return bool(own.label or own.skipped or own.undecided)


def own_acts(events: Sequence[Event], round: int, note_text: Callable[[Event], str]) -> Own:
    """Fold one person's events on one item into what stands."""
    touched = any(event.kind == "label" and event.round in (round, labels.TRIAGE) for event in events)
    events = [event for event in events if event.round == round]
    own: dict[str, object] = {"touched": touched}
    for event in labels.live(events):
        if event.outdated and event.kind in ("label", "undecided"):
            own |= {"label": None, "skipped": False, "undecided": False, "again": event}
        elif event.kind == "label":
            own |= {"label": event, "skipped": False, "undecided": False, "again": None}
        elif event.kind == "skip":
            own["skipped"] = True
        elif event.kind == "undecided":
            own |= {"undecided": True, "label": None, "again": None}
        elif event.kind == "flag" and not event.body.get("unclear"):
            own["flagged"] = bool(event.body.get("on"))
        elif event.kind == "note":
            own["note"] = note_text(event)
        elif event.kind == "contest":
            own["contested"] = str(event.body.get("intent", ""))
    return Own(**own)  # type: ignore[arg-type]  # the names are those of Own, one line above each
