"""What there is to read of a workspace's policy: its versions, how its clauses do, and two versions side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from adjudicate.core.policy import Policy
from adjudicate.core.policy_changes import Part, PolicyChanges, policy_changes
from adjudicate.core.text import visible_line
from adjudicate.core.word_changes import marked
from adjudicate.errors import InputError
from adjudicate.formats.policy_file import read_policy
from adjudicate.storage.policy_versions import PolicyVersion
from adjudicate.storage.store import Store
from adjudicate.workflow.clause_use import ClauseUse, clause_use

POLICY_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Book:
    """Everything but the comparison."""

    versions: tuple[PolicyVersion, ...]
    """The first is in force."""
    policies: Mapping[str, Policy]
    """By fingerprint."""
    uses: Mapping[str, ClauseUse]
    """By clause of the policy in force."""

    @property
    def in_force(self) -> Policy:
        """The policy in force."""
        return self.policies[self.versions[0].fingerprint]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two versions, with the words of what changed marked."""

    changes: PolicyChanges
    marked: Mapping[tuple[Part, str], str]


def read_book(store: Store, *, reader: str | None = None) -> Book:
    """Read the versions and count how the clauses do; `reader` as for `clause_use`."""
    versions = store.policy_versions()
    policies = {each.fingerprint: store.policy(each.fingerprint) for each in versions}
    return Book(tuple(versions), policies, clause_use(store, reader=reader))


def compared(old: Policy, new: Policy) -> Compared:
    """Compare two versions, word by word where they differ."""
    changes = policy_changes(old, new)
    texts = {(each.part, each.id): marked(each.before, each.after) for each in changes.changes if each.before or each.after}
    return Compared(changes, texts)


def policy_from_file(path: Path) -> Policy:
    """The policy of a file.

    Raises:
        InputError: The file cannot be read.
        PolicyError: It breaks the rules of a policy.
    """
    shown = visible_line(str(path))
    try:
        with path.open("rb") as file:
            text = file.read(POLICY_BYTES + 1)
    except OSError as error:
        raise InputError(f"{shown}: cannot be read ({error.strerror})") from error
    return read_policy(text, shown)
