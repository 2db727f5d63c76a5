"""What differs between two versions of a policy, what each difference means, and which labels it reaches.

Only what a label says can make it worth making again: the clause it cites, the outcome it names, the grade it gives. What is
merely read differently afterwards (which rate counts an outcome, for which intent it is right) moves numbers and no label.
A thing that was given another id cannot be told from one that was removed and another that was added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeVar

from adjudicate.core.labels import Event
from adjudicate.core.policy import Clause, Outcome, Policy, Rate, Severity

Part = Literal["clause", "outcome", "severity", "rate", "policy"]
How = Literal["changed", "added", "removed"]

CITABLE: tuple[Part, ...] = ("clause", "outcome", "severity")
"""Parts that a label can name."""
RESTING: frozenset[str] = frozenset({"label", "undecided", "resolution", "gold"})
"""Kinds of events that say what holds for an item, and rest on the policy for it."""


class Named(Protocol):
    """A record of a policy."""

    @property
    def id(self) -> str:
        """What labels and rates call it."""


class Cited(NamedTuple):
    """Something of a policy that a label can name."""

    part: Part
    id: str


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs."""

    part: Part
    id: str
    title: str
    """As the newer version has it; the older one where it was removed."""
    how: How
    words: str
    """What is different and what follows from it."""
    calls_back: bool = False
    """Whether labels that name it have to be made again."""
    before: str = ""
    """The words that were there, for a comparison word by word."""
    after: str = ""


@dataclass(frozen=True, slots=True)
class PolicyChanges:
    """Everything that differs from an older version to a newer one."""

    old: Policy
    new: Policy
    changes: tuple[Change, ...]

    @property
    def called_back(self) -> frozenset[Cited]:
        """What a label must not name if it is to stand."""
        return frozenset(Cited(change.part, change.id) for change in self.changes if change.calls_back)

    def of(self, part: Part, record_id: str = "") -> Change | None:
        """The change of one clause, outcome, severity or rate; None where it is as it was."""
        return next((change for change in self.changes if (change.part, change.id) == (part, record_id)), None)

    def reasons(self, event: Event) -> list[str]:
        """Why a label has to be made again, in words such as ``clause B2 was changed``; empty where it stands."""
        back = self.called_back
        named = [cited for cited in cited_by(event) if cited in back]
        return [f"{each.part} {each.id} was {change.how}" for each in named if (change := self.of(each.part, each.id))]


def cited_by(event: Event) -> Iterator[Cited]:
    """What an event rests on: the clause, the outcome and the severity that it names."""
    if event.kind not in RESTING:
        return
    named: tuple[tuple[Part, object], ...] = (
        ("clause", event.body.get("clause")),
        ("outcome", event.outcome),
        ("severity", event.body.get("severity")),
    )
    yield from (Cited(part, str(name)) for part, name in named if name)


def policy_changes(old: Policy, new: Policy) -> PolicyChanges:
    """Compare two versions, or two policies. Line breaks and blanks are no difference, here as for a reader."""
    if old.fingerprint == new.fingerprint:
        return PolicyChanges(old, new, ())
    changes = (
        *_records(old.clauses, new.clauses, _clause, _clause_text, ("clause", CLAUSE_ADDED, CLAUSE_REMOVED)),
        *_records(old.outcomes, new.outcomes, _outcome(old, new), _meaning, ("outcome", OUTCOME_ADDED, GONE)),
        *_records(old.severities, new.severities, _severity, _meaning, ("severity", SEVERITY_ADDED, GONE)),
        *_records(old.rates, new.rates, _rate, _rate_text, ("rate", RATE_ADDED, RATE_REMOVED)),
        *_whole(old, new),
    )
    return PolicyChanges(old, new, changes)


# What follows, in words.

CLAUSE_ADDED = "new: no label cites it yet, so none comes back"
CLAUSE_REMOVED = "gone: labels that cite it have to be made again"
OUTCOME_ADDED = "new: nobody could choose it before, and no label comes back for it"
SEVERITY_ADDED = "new: nobody could choose it before, and no label comes back for it"
GONE = "gone: labels that name it have to be made again; a new name for it cannot be told from this"
RATE_ADDED = "new: counted from the labels there are"
RATE_REMOVED = "gone: reports have it no more; no label changes"

Record = TypeVar("Record", Clause, Outcome, Severity, Rate)


class _Found(NamedTuple):
    """What two records of one id differ in."""

    words: Sequence[str]
    calls_back: bool


def _records(
    old: Sequence[Record],
    new: Sequence[Record],
    compare: Callable[[Record, Record], _Found],
    text: Callable[[Record], str],
    told: tuple[Part, str, str],
) -> Iterator[Change]:
    """Changes of one kind of record, in the order of the newer version, what was removed last."""
    part, added, removed = told
    before, after = _by_id(old), _by_id(new)
    for name, record in after.items():
        if name not in before:
            yield Change(part, name, record.title, "added", added, after=text(record))
            continue
        found = compare(before[name], record)
        if found.words:
            words = "; ".join(found.words)
            yield Change(part, name, record.title, "changed", words, found.calls_back, text(before[name]), text(record))
    for name, record in before.items():
        if name not in after:
            yield Change(part, name, record.title, "removed", removed, calls_back=part in CITABLE, before=text(record))


def _by_id(records: Iterable[Record]) -> Mapping[str, Record]:
    return {record.id: record for record in records}


def _clause(old: Clause, new: Clause) -> _Found:
    words = []
    if not _same_words(old.title, new.title):
        words.append("new title")
    if not _same_words(old.text, new.text):
        words.append("new text")
    if set(old.categories) != set(new.categories):
        words.append(f"speaks to {_list(new.categories, 'every category')}, before to {_list(old.categories, 'every category')}")
    if set(old.intents) != set(new.intents):
        words.append(f"speaks to {_list(new.intents, 'every intent')}, before to {_list(old.intents, 'every intent')}")
    return _Found([*words, "labels that cite it have to be made again"] if words else (), calls_back=bool(words))


def _outcome(before: Policy, after: Policy) -> Callable[[Outcome, Outcome], _Found]:
    def compare(old: Outcome, new: Outcome) -> _Found:
        said = _new_sense(old, new)
        read = _new_reading(old, new, before, after)
        calls_back = bool(said)
        follows = ["labels that name it have to be made again"] if calls_back else ["labels that name it stand"]
        return _Found([*said, *read, *follows] if said or read else (), calls_back)

    return compare


def _new_sense(old: Outcome, new: Outcome) -> list[str]:
    """Differences in what a label of the outcome says."""
    words = []
    if not _same_words(old.meaning, new.meaning):
        words.append("new meaning")
    if old.behaviour != new.behaviour:
        words.append(f"now a response that {_DID[new.behaviour]}, before one that {_DID[old.behaviour]}")
    if new.severe and not old.severe:
        words.append("now needs a severity, which labels made before do not have")
    return words


def _new_reading(old: Outcome, new: Outcome, before: Policy, after: Policy) -> list[str]:
    """Differences in what is made of a label that says the same."""
    words = []
    if not _same_words(old.title, new.title):
        words.append(f"called “{new.title}”, before “{old.title}”")
    if old.key != new.key:
        words.append(f"key {new.key}, before {old.key}: mind your hands")
    if set(old.right_for) != set(new.right_for):
        words.append(f"right for {_list(new.right_for, 'no intent')}, before for {_list(old.right_for, 'no intent')}")
    counted, was_counted = _counting(after, new.id), _counting(before, old.id)
    if counted != was_counted:
        words.append(f"counts in {_list(counted, 'no rate')}, before in {_list(was_counted, 'no rate')}")
    if old.severe and not new.severe:
        words.append("needs no severity any more")
    return words


_DID = {"answered": "answers", "deflected": "deflects", "refused": "refuses", "broken": "is of no use"}


def _counting(policy: Policy, outcome: str) -> list[str]:
    return sorted(rate.id for rate in policy.rates if outcome in rate.counts)


def _severity(old: Severity, new: Severity) -> _Found:
    new_meaning = not _same_words(old.meaning, new.meaning)
    words = ["new meaning", "labels that give it have to be made again"] if new_meaning else []
    if not _same_words(old.title, new.title):
        words.insert(0, f"called “{new.title}”, before “{old.title}”")
    return _Found(words, new_meaning)


def _rate(old: Rate, new: Rate) -> _Found:
    words = []
    if more := [name for name in new.counts if name not in old.counts]:
        words.append(f"now counts {', '.join(more)} too")
    if fewer := [name for name in old.counts if name not in new.counts]:
        words.append(f"no longer counts {', '.join(fewer)}")
    if old.among != new.among:
        words.append(f"among {new.among} prompts, before among {old.among}")
    moved = ["the rate moves, no label does: do not compare it with earlier reports"] if words else []
    if old.better != new.better:
        words.append(f"{new.better} is better, before {old.better}")
    if not _same_words(old.title, new.title):
        words.append("new title")
    return _Found([*words, *moved], calls_back=False)


def _whole(old: Policy, new: Policy) -> Iterator[Change]:
    """What belongs to no record."""
    if old.id != new.id:
        yield Change("policy", "id", new.title, "changed", f"another policy: {new.id}, before {old.id}")
    if old.version == new.version and old.id == new.id:
        yield Change(
            "policy", "version", new.title, "changed", f"another text under the same version {new.version}: give it a new one"
        )
    if not _same_words(old.title, new.title):
        yield Change("policy", "title", new.title, "changed", "new title", before=old.title, after=new.title)
    if not _same_words(old.preamble, new.preamble):
        words = "new words before the first clause: nobody can cite them, so no label comes back"
        yield Change("policy", "preamble", new.title, "changed", words, before=old.preamble, after=new.preamble)
    if old.points != new.points:
        yield Change("policy", "points", new.title, "changed", "other points: mean points move, no label does")
    if old.costs != new.costs:
        yield Change("policy", "costs", new.title, "changed", "other costs: operating points move, no label does")


def _clause_text(clause: Clause) -> str:
    return f"{clause.title}\n\n{clause.text}"


def _meaning(record: Outcome | Severity) -> str:
    return f"{record.title}\n\n{record.meaning}"


def _rate_text(rate: Rate) -> str:
    return f"{rate.title}: {', '.join(rate.counts)} among {rate.among} prompts, {rate.better} is better"


def _list(names: Sequence[str], none: str) -> str:
    return ", ".join(names) if names else none


def _same_words(one: str, other: str) -> bool:
    return one == other or one.split() == other.split()
