"""What people did on one item, as statistics take it: arms of the blind split, reveals, hidden repeats, what gold rests on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from adjudicate.core.gold import Gold, adjudicated_intent, blind_outcome, current_labels, settle
from adjudicate.core.labels import Event, live
from adjudicate.core.policy import Policy
from adjudicate.stats.evidence import ArmDecision, LabelledItem, RepeatLabels, RevealedLabel, ScoresOfJudge
from adjudicate.storage.store import FrameItem

Names = Mapping[str, str]
"""Annotator id -> what the person is called in a report."""
OUT_OF_TURN = (
    "they were labelled before they were drawn, or outside the lists, and the sample has not come to them yet; they count once it"
    " has, or once every drawn item of their stratum is labelled"
)
AHEAD = "they stand beyond an item of their list that is not dealt with yet, and anytime limits need the lists from the front"


def counts_in_turn(item: FrameItem, *, anytime: bool) -> bool:
    """Whether labels on an item are part of the random sample.

    Args:
        item: Drawn or not.
        anytime: For limits that hold at every moment: they need each queue from the front, without a gap.
    """
    return item.turn == "counts" or (item.turn == "ahead" and not anytime)


def labelled_item(
    item: FrameItem, events: Sequence[Event], *, policy: Policy, names: Names, anytime: bool = False
) -> LabelledItem | None:
    """The item with what holds for it: rates use current labels, accuracy and agreement blind ones; None without any."""
    gold = settle(events)
    if gold is None:
        return None
    blind = [event for event in current_labels(events, blind_only=True) if event.outcome and not event.outdated]
    times = [time for event in blind if (time := _seconds(event.at)) is not None]
    return LabelledItem(
        item_id=item.item_id,
        stratum=item.stratum,
        population=item.population,
        intent=item.intent,
        model=item.model,
        gold=gold.outcome,
        blind_gold=blind_outcome(events),
        verdicts=item.verdicts,
        labels={names[event.annotator_id]: event.outcome for event in blind if event.outcome},
        sampled=item.picked,
        category=item.category,
        language=item.language,
        characters=item.characters,
        turns=item.turns,
        prompt=item.prompt_id,
        pair=item.pair,
        clauses=_clauses(gold),
        severity=_severity(gold, policy),
        adjudicated_intent=adjudicated_intent(events),
        scores={judge: ScoresOfJudge(scores.score, scores.helpfulness, scores.safety) for judge, scores in item.scores.items()},
        labelled_at=max(times, default=None),
        recorded=gold.how == "recorded",
        in_turn=counts_in_turn(item, anytime=anytime),
    )


def arm_decisions(item: FrameItem, events: Sequence[Event], *, names: Names) -> Iterator[tuple[int, ArmDecision]]:
    """Each person's last label per arm on an item with a verdict to see, with its place in their chain."""
    verdict = shown_verdict(item)
    if verdict is None:
        return
    lengths = (item.characters, item.prompt_characters)
    reading = None if None in lengths else sum(length or 0 for length in lengths)
    for person, labels in _labels_of(events, round=0).items():
        for mode in ("blind", "assisted"):
            last = next((event for event in reversed(labels) if event.mode == mode), None)
            if last is None or last.outcome is None:
                continue
            assisted = mode == "assisted"
            planned = item.picked and item.turn != "waits" and item.blind is not None and item.blind != assisted
            seconds = last.body.get("seconds")
            yield (
                last.seq,
                ArmDecision(item.item_id, names[person], assisted, verdict, last.outcome, seconds, reading, planned),
            )


def revealed_labels(
    item: FrameItem, events: Sequence[Event], *, names: Names, on_screen: Collection[str]
) -> Iterator[RevealedLabel]:
    """Blind labels whose verdict was shown afterwards.

    That is known where the person labelled again with the verdict in view, and where a blind label made on the screen differs
    from the verdict: the screen then shows it, and keeping the label records nothing.

    Args:
        on_screen: Ids of the annotators whose labels were made on the screen, as from `who_was_shown`.
    """
    verdict = shown_verdict(item)
    if verdict is None:
        return
    for person, labels in _labels_of(events, round=0).items():
        after = next((event for event in reversed(labels) if event.mode == "revealed"), None)
        first_shown = min((event.seq for event in labels if event.mode == "revealed"), default=None)
        blind = [event for event in labels if event.mode == "blind" and (first_shown is None or event.seq < first_shown)]
        if not blind or blind[-1].outcome is None:
            continue
        before = blind[-1]
        kept = after is None and before.outcome != verdict and (person in on_screen or "seconds" in before.body)
        if after is not None or kept:
            stood = (after or before).outcome
            yield RevealedLabel(item.item_id, names[person], before.outcome or "", stood or "", verdict)


def who_was_shown(events: Iterable[Sequence[Event]]) -> frozenset[str]:
    """Ids of the people who labelled at least one item again with the verdict in view, which imported labels never do."""
    return frozenset(event.annotator_id for each in events for event in each if event.mode == "revealed")


def repeated_labels(item_id: str, events: Sequence[Event], *, names: Names) -> Iterator[RepeatLabels]:
    """Labels of people to whom the item came back unannounced, both made in the same mode."""
    again = _labels_of(events, round=1)
    for person, first in _labels_of(events, round=0).items():
        for mode in ("blind", "assisted"):
            pair = [
                next((event.outcome for event in reversed(labels) if event.mode == mode), None)
                for labels in (first, again.get(person, []))
            ]
            if pair[0] is not None and pair[1] is not None:
                yield RepeatLabels(item_id, names[person], pair[0], pair[1])
                break


def shown_verdict(item: FrameItem) -> str | None:
    """Outcome of the judge that the item was drawn by (else of the first), as the screen shows it; None where it failed."""
    if item.drawn_by is not None:
        return item.verdicts.get(item.drawn_by)
    return next(iter(item.verdicts.values()), None)


def basis(gold: Gold) -> Event | None:
    """The event that an outcome is read from: the ruling, else the first label that says so; None while it is open."""
    if gold.is_open:
        return None
    return gold.settlement or next((label for label in gold.labels if label.outcome == gold.outcome), None)


def _labels_of(events: Sequence[Event], *, round: int) -> dict[str, list[Event]]:
    """Standing labels of each person in the order in which they were made; outdated ones say nothing of the policy in force."""
    found: dict[str, list[Event]] = defaultdict(list)
    for event in sorted(live(events), key=lambda event: event.seq):
        if event.kind == "label" and event.round == round and not event.outdated:
            found[event.annotator_id].append(event)
    return found


def _clauses(gold: Gold) -> tuple[str, ...]:
    if gold.settlement is not None and gold.settlement.body.get("clause"):
        return (str(gold.settlement.body["clause"]),)
    return tuple(sorted({str(label.body["clause"]) for label in gold.labels if label.body.get("clause")}))


def _severity(gold: Gold, policy: Policy) -> str | None:
    """Of the ruling; without one, the worst that a label of the gold outcome names."""
    if gold.is_open:
        return None
    if gold.settlement is not None:
        named = [gold.settlement.body.get("severity")]
    else:
        named = [label.body.get("severity") for label in gold.labels]
    order = {grade.id: place for place, grade in enumerate(policy.severities)}
    return max((str(each) for each in named if each is not None), key=lambda each: order.get(each, -1), default=None)


def _seconds(at: str) -> float | None:
    try:
        return datetime.fromisoformat(at).timestamp()
    except ValueError:
        return None
