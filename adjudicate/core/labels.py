"""Label events: what a person did, as immutable records chained per person by content hash.

Nothing is ever changed or removed. Undo and revision are further events; what holds now is read from the chain.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from adjudicate.core.policy import INTENTS, Policy
from adjudicate.errors import LabelRefused

Kind = Literal["label", "skip", "undecided", "flag", "note", "contest", "undo", "resolution", "gold"]
Mode = Literal["blind", "revealed", "assisted"]

KINDS: tuple[Kind, ...] = ("label", "skip", "undecided", "flag", "note", "contest", "undo", "resolution", "gold")
MODES: tuple[Mode, ...] = ("blind", "revealed", "assisted")

COPY_OF = "copy_of"
"""Key of a body: the event of another workspace that an imported label is a copy of."""
TRIAGE = -1
"""`round` of what was said of an item that somebody picked: on record, and in no rate, agreement, plan or gate."""
FIRST = ""
"""`previous` of the first event of a chain."""


@dataclass(frozen=True, slots=True)
class Event:
    """One act of one person. Its id is the hash of everything else in it."""

    id: str
    annotator_id: str
    seq: int
    """Place in the person's chain, from 1 without gaps: the order of events, whatever the clock said."""
    previous: str
    """Id of the person's event before, `FIRST` for none."""
    kind: Kind
    item_id: str
    policy: str
    """Fingerprint of the policy that was on screen."""
    at: str
    """Time in UTC, ISO 8601; for reading, never for ordering."""
    outcome: str | None = None
    mode: Mode | None = None
    """Whether the verdict was hidden (blind), shown after a blind label (revealed) or shown from the start (assisted)."""
    round: int = 0
    """0 for the item itself, 1 for its hidden repeat, `TRIAGE` outside every sample."""
    target: str | None = None
    """The event that an undo takes back."""
    body: Mapping[str, Any] = field(default_factory=dict)
    """The rest, JSON types: severity, clause, confidence, seconds, rationale, settles, note_digest, intent, on, unclear,
    copy_of."""
    outdated: bool = False
    """Whether what it rests on has changed since its policy: it stays on record and does not count until it is made again. No
    part of the act nor of its id; the store, which has all policies, says so on reading (`core.policy_changes`)."""


@dataclass(frozen=True, slots=True)
class Act:
    """What a person wants recorded, before it has a place in the chain."""

    kind: Kind
    item_id: str
    outcome: str | None = None
    mode: Mode | None = None
    round: int = 0
    target: str | None = None
    body: Mapping[str, Any] = field(default_factory=dict)
    note: str | None = None
    """Free text; the chain holds its salted digest only, so that it can be erased later."""


def origin(event: Event) -> str:
    """Id under which a write-back notes an event: its own, or that of the event that it is a copy of.

    So a label is known again in the workspace where it was made, however many others it went through.
    """
    return str(event.body.get(COPY_OF) or event.id)


def event_id(event: Event) -> str:
    """SHA-256 (hex) over the canonical JSON of the event without its id."""
    content = [
        event.annotator_id,
        event.seq,
        event.previous,
        event.kind,
        event.item_id,
        event.policy,
        event.at,
        event.outcome,
        event.mode,
        event.round,
        event.target,
        dict(event.body),
    ]
    text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def chained(act: Act, *, annotator_id: str, seq: int, previous: str, policy: str, at: str) -> Event:
    """The act as the next event of a person's chain."""
    draft = Event(
        id="",
        annotator_id=annotator_id,
        seq=seq,
        previous=previous,
        kind=act.kind,
        item_id=act.item_id,
        policy=policy,
        at=at,
        outcome=act.outcome,
        mode=act.mode,
        round=act.round,
        target=act.target,
        body=dict(act.body),
    )
    return Event(**{**_fields(draft), "id": event_id(draft)})


def note_digest(note: str, salt: str) -> str:
    """What the chain keeps of a note: SHA-256 of salt and text."""
    return hashlib.sha256(f"{salt}\x00{note}".encode("utf-8", "surrogatepass")).hexdigest()


def label(
    policy: Policy,
    *,
    item_id: str,
    outcome: str,
    mode: Mode,
    severity: str | None = None,
    clause: str | None = None,
    confidence: str | None = None,
    seconds: float | None = None,
    round: int = 0,
) -> Act:
    """A label that the policy allows.

    Args:
        seconds: Time between the item's appearance and the key, for pace and rubber-stamp signs.

    Raises:
        LabelRefused: The outcome, severity or clause is not the policy's, or a severity is missing.
    """
    _check(policy, outcome, severity, clause)
    body = {
        name: value
        for name, value in (("severity", severity), ("clause", clause), ("confidence", confidence), ("seconds", seconds))
        if value is not None
    }
    return Act(kind="label", item_id=item_id, outcome=outcome, mode=mode, round=round, body=body)


def resolution(
    policy: Policy,
    *,
    item_id: str,
    outcome: str,
    rationale: str,
    settles: Iterable[str],
    severity: str | None = None,
    clause: str | None = None,
    intent: str | None = None,
) -> Act:
    """An adjudicator's ruling on an item.

    Args:
        settles: Ids of the label events on the table; a later label that differs opens the item again.
        intent: What the prompt is after all, where the declared intent was in dispute; None leaves it as declared.

    Raises:
        LabelRefused: As for `label`, the rationale is empty, or the intent is not one that a prompt can have.
    """
    _check(policy, outcome, severity, clause)
    _check_intent(intent)
    if not rationale.strip():
        raise LabelRefused("a ruling needs its reason: say in a sentence why this outcome holds under the policy")
    body: dict[str, Any] = {"rationale": rationale.strip(), "settles": sorted(settles)}
    rest = (("severity", severity), ("clause", clause), ("intent", intent))
    body |= {name: value for name, value in rest if value is not None}
    return Act(kind="resolution", item_id=item_id, outcome=outcome, body=body)


def contest(*, item_id: str, intent: str, round: int = 0) -> Act:
    """The person holds that the declared intent of the prompt is wrong.

    Raises:
        LabelRefused: The intent is not one that a prompt can have.
    """
    _check_intent(intent)
    return Act(kind="contest", item_id=item_id, round=round, body={"intent": intent})


def unclear(policy: Policy, *, item_id: str, note: str, clause: str | None = None) -> Act:
    """An adjudicator puts an item on the list for the next version of the policy, in place of a ruling.

    It is a flag: what people hold stays as it is, and the item stays open.

    Args:
        note: What the policy does not settle.
        clause: The one that it should be said in.

    Raises:
        LabelRefused: The note is empty, or the policy has no such clause.
    """
    _check_clause(policy, clause)
    if not note.strip():
        raise LabelRefused("say in a sentence what the policy leaves unclear: whoever writes the next version reads it")
    body: dict[str, Any] = {"on": True, "unclear": True} | ({"clause": clause} if clause is not None else {})
    return Act(kind="flag", item_id=item_id, body=body, note=note.strip())


def live(events: Iterable[Event]) -> list[Event]:
    """The events of one chain or item that no undo has taken back, undo events left out, in the given order."""
    events = list(events)
    undone = {event.target for event in events if event.kind == "undo"}
    return [event for event in events if event.kind != "undo" and event.id not in undone]


def broken_links(events: Iterable[Event]) -> list[str]:
    """What does not hold in one person's chain: gaps, edits, wrong predecessors, in words; empty when all is well."""
    problems, expected_seq, previous = [], 1, FIRST
    for event in sorted(events, key=lambda event: event.seq):
        if event.seq != expected_seq:
            problems.append(f"{event.annotator_id}: events {expected_seq} to {event.seq - 1} are missing")
        elif event.previous != previous:
            problems.append(f"{event.annotator_id}: event {event.seq} does not follow event {event.seq - 1}")
        if event_id(event) != event.id:
            problems.append(f"{event.annotator_id}: event {event.seq} was changed after it was made")
        expected_seq, previous = event.seq + 1, event.id
    return problems


def _check_intent(intent: str | None) -> None:
    if intent is not None and intent not in INTENTS:
        raise LabelRefused(f"an intent is one of {', '.join(INTENTS)}")


def _check(policy: Policy, outcome: str, severity: str | None, clause: str | None) -> None:
    defined = policy.outcome(outcome)
    if defined is None:
        raise LabelRefused(
            f"the policy {policy.id} has no outcome {outcome!r}; it has {', '.join(each.id for each in policy.outcomes)}"
        )
    grades = [grade.id for grade in policy.severities]
    if defined.severe and severity is None:
        raise LabelRefused(f"{defined.title} needs a severity: {', '.join(grades)}")
    if severity is not None and (not defined.severe or severity not in grades):
        raise LabelRefused(f"{defined.title} takes no severity {severity!r}")
    _check_clause(policy, clause)


def _check_clause(policy: Policy, clause: str | None) -> None:
    if clause is not None and policy.clause(clause) is None:
        raise LabelRefused(f"the policy {policy.id} has no clause {clause!r}")


def _fields(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in Event.__slots__}
