"""Taking a version of the policy into use: what would change, who would label what again, and then the act itself.

Nothing is rewritten. Every label keeps the fingerprint that it was made under; which of them have to be made again is read
from that and from the policies (`core.policy_changes`), so the items come back to the same people without a new list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from adjudicate.core.labels import Event
from adjudicate.core.policy import Policy
from adjudicate.core.policy_changes import Change, PolicyChanges, policy_changes
from adjudicate.errors import StoreError
from adjudicate.storage.outdated import outdated_by
from adjudicate.storage.policy_versions import JudgeVerdicts, Placed, PolicyVersion
from adjudicate.storage.store import Store


@dataclass(frozen=True, slots=True)
class ComingBack:
    """One label that would have to be made again."""

    item_id: str
    annotator_id: str
    name: str
    """Of the annotator; never leaves the workspace."""
    place: Placed
    why: str
    """Such as ``clause B2 was changed``."""
    listed: bool
    """Whether the item is on their list, and so comes back to them; labels that came with a file are on none."""
    repeat: bool
    """Whether it is the hidden repeat of an item."""
    waits_already: bool
    """Whether it has to be made again under the policy in force already."""


@dataclass(frozen=True)
class Adoption:
    """What taking a policy into use changes."""

    changes: PolicyChanges
    """From the policy in force."""
    versions: tuple[PolicyVersion, ...]
    """As they are before; the first is in force."""
    coming_back: tuple[ComingBack, ...]
    rulings: tuple[str, ...]
    """Items whose ruling (or recorded final label) falls away."""
    standing: int
    """Labels that hold and stay as they are."""
    restored: int
    """Labels that have to be made again now and would stand again: an older version is taken back into use."""
    judges: tuple[JudgeVerdicts, ...]

    @property
    def is_new(self) -> bool:
        """Whether it is another policy than the one in force."""
        return self.changes.old.fingerprint != self.changes.new.fingerprint

    @property
    def items(self) -> int:
        """Items that anything comes back on."""
        return len({each.item_id for each in self.coming_back})

    @cached_property
    def by_person(self) -> Mapping[str, int]:
        """Labels that come back, by the name of the annotator, most first."""
        return _counted(each.name for each in self.coming_back if each.listed)

    @cached_property
    def by_stratum(self) -> Mapping[str, int]:
        """Labels that come back, by stratum (population outside every draw), most first."""
        return _counted(each.place.stratum or each.place.population for each in self.coming_back if each.listed)

    @cached_property
    def by_reason(self) -> Mapping[str, int]:
        """Labels that come back or fall away, by why, most first."""
        return _counted(each.why for each in self.coming_back)

    @property
    def unlisted(self) -> int:
        """Labels that fall away and that no list brings back: an adjudicator has to rule on their items."""
        return sum(not each.listed for each in self.coming_back)

    @property
    def older_judges(self) -> list[JudgeVerdicts]:
        """Judges whose verdicts came in under another policy."""
        return [judge for judge in self.judges if judge.policy != self.changes.new.fingerprint]

    @property
    def older_draws(self) -> int:
        """Samples that were drawn under another policy."""
        return sum(version.draws for version in self.versions if version.fingerprint != self.changes.new.fingerprint)

    def version_words(self, fingerprint: str) -> str:
        """How people call the policy with this fingerprint."""
        found = next((each for each in self.versions if each.fingerprint == fingerprint), None)
        if found is not None:
            return f"{found.id} {found.version}"
        return "a policy that is not here" if fingerprint else "no policy on record"

    def consequences(self) -> list[str]:
        """What happens, a sentence each; foreign text in them is as it is."""
        back = sum(self.by_person.values())
        again = sum(each.waits_already for each in self.coming_back)
        told = ["No label comes back."]
        if back:
            told = [f"{_labels(back)} on {_items(self.items)} {_verb(back, 'come')} back to whoever made them."]
        if again:
            told.append(f"{again:,} of them {_verb(again, 'have')} to be made again already.")
        if self.unlisted:
            fallen = (
                f"{_labels(self.unlisted)} {_verb(self.unlisted, 'fall')} away and {_verb(self.unlisted, 'are')} on nobody's list"
            )
            told.append(f"{fallen}: an adjudicator has to rule.")
        if self.rulings:
            fallen = f"Rulings on {_items(len(self.rulings))} fall away"
            told.append(f"{fallen}; where the labels still differ, an adjudicator rules again.")
        if self.restored:
            told.append(f"{_labels(self.restored)} that had to be made again {_verb(self.restored, 'count')} again.")
        told.append(f"{_labels(self.standing)} {_verb(self.standing, 'stay')}, marked with the version they were made under.")
        if self.coming_back or self.rulings:
            told.append("Until then these items are in no rate; reports say how many wait and how far they could move it.")
        return [*told, *self._judge_words(), *self._draw_words()]

    def as_json(self) -> dict[str, Any]:
        """For ``policy adopt --json``: counts and ids, no names."""
        old, new = self.changes.old, self.changes.new
        return {
            "from": {"id": old.id, "version": old.version, "fingerprint": old.fingerprint},
            "to": {"id": new.id, "version": new.version, "fingerprint": new.fingerprint},
            "changes": [change_as_json(change) for change in self.changes.changes],
            "labels_again": sum(self.by_person.values()),
            "items_again": sorted({each.item_id for each in self.coming_back if each.listed}),
            "by_annotator": _counted(each.annotator_id for each in self.coming_back if each.listed),
            "by_stratum": dict(self.by_stratum),
            "by_reason": dict(self.by_reason),
            "labels_without_list": self.unlisted,
            "rulings": list(self.rulings),
            "labels_standing": self.standing,
            "labels_restored": self.restored,
            "verdicts": [
                {"judge": judge.judge, "policy": judge.policy, "verdicts": judge.verdicts, "unknown_outcomes": judge.unknown}
                for judge in self.judges
            ],
            "draws_under_older": self.older_draws,
        }

    def _judge_words(self) -> list[str]:
        words = [
            f"The {judge.verdicts:,} verdicts of {judge.judge} came in under {self.version_words(judge.policy)}; they stay."
            for judge in self.older_judges
        ]
        return words + [
            f"{judge.unknown:,} verdicts of {judge.judge} name no outcome of the new policy: reports set them aside."
            for judge in self.judges
            if judge.unknown
        ]

    def _draw_words(self) -> list[str]:
        if not self.older_draws or not self.is_new:
            return []
        draws = "1 sample was" if self.older_draws == 1 else f"{self.older_draws} samples were"
        return [f"{draws} drawn under an older version: strata stay as they were fixed, which is right for every rate."]


def change_as_json(change: Change) -> dict[str, Any]:
    """One difference as ``policy diff --json`` and ``policy adopt --json`` have it."""
    return {
        "part": change.part,
        "id": change.id,
        "title": change.title,
        "change": change.how,
        "means": change.words,
        "labels_again": change.calls_back,
    }


def look_ahead(store: Store, new: Policy) -> Adoption:
    """What would change if this policy were taken into use. Writes nothing.

    Args:
        store: An open store.
        new: A new version, or one that was in use before.
    """
    versions = store.policy_versions()
    policies = {each.fingerprint: store.policy(each.fingerprint) for each in versions}
    changed = outdated_by(policies.values(), new)
    labels, rulings = store.resting_on(changed) if changed else ([], [])
    now = {event.id for event in _resting_now(store)}
    names = {person.id: person.name for person in store.annotators()}
    on_items = {event.item_id for event in labels}
    places, listed = store.places(on_items), store.on_lists(on_items)
    diffs = {fingerprint: policy_changes(policy, new) for fingerprint, policy in policies.items()}
    coming_back = tuple(
        ComingBack(
            item_id=event.item_id,
            annotator_id=event.annotator_id,
            name=names[event.annotator_id],
            place=places[event.item_id],
            why=", ".join(diffs[event.policy].reasons(event)),
            listed=(event.item_id, event.annotator_id, event.round) in listed,
            repeat=event.round > 0,
            waits_already=event.id in now,
        )
        for event in labels
    )
    held = sum(version.labels for version in versions)
    return Adoption(
        changes=policy_changes(store.policy(), new),
        versions=tuple(versions),
        coming_back=coming_back,
        rulings=tuple(sorted({event.item_id for event in rulings})),
        standing=held - sum(event.kind == "label" and event.round == 0 for event in labels),
        restored=len(now - {event.id for event in labels}),
        judges=tuple(store.judge_verdicts(outcome.id for outcome in new.outcomes)),
    )


def adopt(store: Store, new: Policy, *, at: str) -> None:
    """Take a policy into use. Labels stay; those that rest on what it changes come back.

    Raises:
        StoreError: The clock is behind the last adoption, so that the newest could not be told; nothing was written.
    """
    latest = max((version.adopted_at for version in store.policy_versions()), default="")
    if at < latest:
        raise StoreError(
            f"not adopted: this machine's clock says {at}, but a policy was adopted at {latest}; set the clock and try again"
        )
    store.put_policy(new, at)


def _resting_now(store: Store) -> Sequence[Event]:
    changed = outdated_by(
        [store.policy(version.fingerprint) for version in store.policy_versions()[1:]],
        store.policy(),
    )
    return store.resting_on(changed)[0] if changed else ()


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda each: (-each[1], each[0])))


def _labels(count: int) -> str:
    return f"{count:,} label{'' if count == 1 else 's'}"


def _items(count: int) -> str:
    return f"{count:,} item{'' if count == 1 else 's'}"


def _verb(count: int, plural: str) -> str:
    """The form of a verb after a number."""
    return {"are": "is", "have": "has"}.get(plural, f"{plural}s") if count == 1 else plural
