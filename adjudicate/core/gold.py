"""From labels to gold: what holds for an item, how it came to hold, and when people must settle it.

A disagreement is a state, never a silent majority. A settlement (an adjudicator's resolution, or the final label that
came with a data set) covers the labels that were on the table; a later label that differs opens the item again.

What rests on a clause or outcome that the policy in force has changed is on record and counts for nothing until it is made
again (`Event.outdated`). Its item is open meanwhile: left out as if never labelled it would be missing at anything but random.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from adjudicate.core.labels import Event, live

How = Literal["adjudicated", "recorded", "unanimous", "single"]


@dataclass(frozen=True, slots=True)
class Gold:
    """The settled outcome of an item, or the open question."""

    outcome: str | None
    """None while people have to settle it."""
    how: How | Literal["open"]
    labels: tuple[Event, ...]
    """Current labels, one a person."""
    settlement: Event | None = None
    """The ruling that holds, or that a later label has opened again."""
    undecided: tuple[Event, ...] = ()
    """People who could not decide under the policy."""
    waits: bool = False
    """Open only because labels have to be made again under the policy in force; people need not settle anything yet."""

    @property
    def is_open(self) -> bool:
        """Whether the item waits for an adjudicator, or for labels that have to be made again."""
        return self.how == "open"


def current_labels(events: Iterable[Event], *, blind_only: bool = False) -> list[Event]:
    """The label that holds for each person, hidden repeats left out; outdated ones are among them.

    Args:
        events: All events on one item.
        blind_only: Take each person's last label made before the verdict was seen.
    """
    latest: dict[str, Event] = {}
    for event in sorted(live(events), key=lambda event: event.seq):
        if event.kind == "label" and event.round == 0 and (not blind_only or event.mode == "blind"):
            latest[event.annotator_id] = event
    return list(latest.values())


def settle(events: Sequence[Event]) -> Gold | None:
    """What holds for one item, from all events on it; None where nobody has said anything that counts."""
    standing = live(events)
    settlement = _settlement(event for event in standing if not event.outdated)
    labels = tuple(current_labels(standing))
    undecided = tuple(_undecided(standing))
    counting = [label for label in labels if not label.outdated]
    if settlement is not None:
        covered = set(settlement.body.get("settles", ()))
        if any(label.id not in covered and label.outcome != settlement.outcome for label in counting):
            return Gold(None, "open", labels, settlement, undecided)
        how: How = "adjudicated" if settlement.kind == "resolution" else "recorded"
        return Gold(settlement.outcome, how, labels, settlement, undecided)
    outdated_settlement = _settlement(standing)
    if not labels and not undecided and outdated_settlement is None:
        return None
    unclear = any(not event.outdated for event in undecided)
    if unclear or len({label.outcome for label in counting}) > 1 or not (labels or undecided):
        return Gold(None, "open", labels, outdated_settlement, undecided)
    if len(counting) < len(labels) or undecided:
        return Gold(None, "open", labels, outdated_settlement, undecided, waits=True)
    return Gold(labels[0].outcome, "single" if len(labels) == 1 else "unanimous", labels)


def blind_outcome(events: Sequence[Event]) -> str | None:
    """The gold outcome as far as it owes nothing to the verdict: what judge accuracy may be measured against.

    A settlement counts where blind labels stand behind it (or where it came with the data set); without one, blind labels
    have to be unanimous.
    """
    gold = settle(events)
    if gold is None or gold.is_open:
        return None
    blind = {label.outcome for label in current_labels(events, blind_only=True) if not label.outdated or gold.settlement}
    if gold.settlement is not None:
        return gold.outcome if blind or gold.how == "recorded" else None
    return next(iter(blind)) if len(blind) == 1 else None


def adjudicated_intent(events: Iterable[Event]) -> str | None:
    """What the prompt is after a ruling on its declared intent; None where nobody ruled on it.

    The latest ruling that names an intent holds, also where a later ruling speaks of the outcome only.
    """
    latest = intent_ruling(events)
    return None if latest is None else str(latest.body["intent"])


def intent_ruling(events: Iterable[Event]) -> Event | None:
    """The ruling on a declared intent that holds, among all events on the responses to one prompt; None where there is none."""
    return max(_intent_rulings(events), key=_when, default=None)


def ruled_intents(on_prompts: Iterable[tuple[str, Iterable[Event]]]) -> dict[str, str]:
    """What prompts are after rulings on their declared intent, by prompt; prompts that nobody ruled on are left out.

    A ruling is made on one item, but speaks of the request: it holds for every response to the same prompt, or a comparison of
    two models would read one of them under a ruling that the other escapes. The latest ruling holds.

    Args:
        on_prompts: Prompt id and the events on one response to it; items without a prompt id are left out.
    """
    latest: dict[str, Event] = {}
    for prompt, events in on_prompts:
        found = max(_intent_rulings(events), key=_when, default=None)
        if prompt and found is not None and (prompt not in latest or _when(found) > _when(latest[prompt])):
            latest[prompt] = found
    return {prompt: str(event.body["intent"]) for prompt, event in latest.items()}


def _intent_rulings(events: Iterable[Event]) -> Iterator[Event]:
    return (event for event in live(events) if event.kind == "resolution" and event.body.get("intent"))


def _when(event: Event) -> tuple[str, str]:
    return event.at, event.id


def contested_intents(events: Iterable[Event]) -> dict[str, str]:
    """The intent that each person holds to be right where they contest the declared one: annotator id -> intent."""
    held: dict[str, str] = {}
    for event in sorted(live(events), key=lambda event: event.seq):
        if event.kind == "contest":
            held[event.annotator_id] = str(event.body.get("intent", ""))
    return held


def _settlement(standing: Iterable[Event]) -> Event | None:
    """The settlement that counts: a ruling made here outranks a recorded one; then the later, ids breaking ties."""
    return max(
        (event for event in standing if event.kind in ("resolution", "gold")),
        key=lambda event: (event.kind == "resolution", event.at, event.id),
        default=None,
    )


def _undecided(standing: Iterable[Event]) -> Iterable[Event]:
    """People whose last word on the item is that they cannot decide."""
    last: dict[str, Event] = {}
    for event in sorted(standing, key=lambda event: event.seq):
        if event.kind in ("label", "undecided") and event.round == 0:
            last[event.annotator_id] = event
    return (event for event in last.values() if event.kind == "undecided")
