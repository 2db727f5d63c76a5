"""Whether numbers are as new as what they were computed from, and if not, what has come since."""

from __future__ import annotations

from dataclasses import dataclass

from adjudicate.storage import acts_since
from adjudicate.storage.acts_since import Head, writes
from adjudicate.storage.sqlite_store import SqliteStore

__all__ = ["State", "heads_of", "since", "state_of", "writes"]


@dataclass(frozen=True, slots=True)
class State:
    """How far labels and verdicts were when somebody looked."""

    heads: tuple[Head, ...]
    verdicts: int
    policy: str
    """Fingerprint of the policy in force."""


def state_of(store: SqliteStore) -> State:
    """Look; passes over all verdicts, so it belongs into a worker."""
    return State(heads_of(store), acts_since.verdict_count(store.database), store.policy().fingerprint)


def heads_of(store: SqliteStore) -> tuple[Head, ...]:
    """Ends of everybody's chains."""
    return tuple(store.heads())


def since(store: SqliteStore, then: State, now: State) -> str:
    """What came in between, in words: ``3 labels, 1 ruling``; empty where nothing did that a number could rest on.

    Args:
        store: As it is now.
        then: When the numbers were computed.
        now: The last look.
    """
    acts = acts_since.acts_since(store.database, then.heads, now.heads)
    verdicts = now.verdicts - then.verdicts
    told = [
        _counted(acts.labels, "label") if acts.labels else "",
        _counted(acts.rulings, "ruling") if acts.rulings else "",
        _counted(acts.others, "other act") if acts.others else "",
        _counted(verdicts, "verdict") if verdicts > 0 else "",
        f"{_counted(-verdicts, 'verdict')} fewer" if verdicts < 0 else "",
        "another policy" if then.policy != now.policy else "",
    ]
    return ", ".join(filter(None, told))


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
