"""What can be compared with what: runs, models, judges. The comparing is in `compare_sides`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.run_names import shown_names

MOST = 60
"""Pairs that are offered; the command compares any two."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two things that can be compared."""

    kind: Literal["runs", "models", "judges"]
    first: str
    """Name of the one that is compared; of a run its id."""
    second: str
    """What it is compared with: of runs the earlier one."""
    names: tuple[str, str]
    """As people call them."""

    @property
    def words(self) -> str:
        """For a list to choose from; the difference is the one named first minus the other."""
        return f"{self.names[0]} against {self.names[1]}"


def pairs(store: SqliteStore) -> list[Pair]:
    """Everything that can be compared here: runs by the order of their import, then models, then judges."""
    names = shown_names(store.runs())
    # A run that came without items of its own, as verdicts do, has nothing to be compared.
    runs = [run.id for run in store.runs() if run.items]
    models = list(store.models())
    judges = sorted(judge.name for judge in store.judges())
    found = [Pair("runs", two, one, (names[two], names[one])) for one, two in combinations(runs, 2)]
    found += [Pair("models", two, one, (two, one)) for one, two in combinations(models, 2)]
    return [*found, *(Pair("judges", one, two, (one, two)) for one, two in combinations(judges, 2))]
