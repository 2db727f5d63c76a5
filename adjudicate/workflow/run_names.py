"""Runs as people name them: by id, by the beginning of an id as `status` shows it, or by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import UsageError
from adjudicate.storage.rows import Run
from adjudicate.storage.store import Store

FEWEST_ID = 4
"""Characters of a run id that name it."""
SHOWN = 60
SHOWN_ID = 12


def find_run(runs: Sequence[Run], wanted: str) -> Run | None:
    """The run that a name stands for; None where it stands for none.

    Args:
        runs: Of the workspace.
        wanted: An id, at least four characters of the beginning of one, or a name.

    Raises:
        UsageError: It stands for several.
    """
    named = [run for run in runs if run.id == wanted] or [run for run in runs if run.name == wanted]
    found = named or [run for run in runs if len(wanted) >= FEWEST_ID and run.id.startswith(wanted)]
    if len(found) > 1:
        ids = ", ".join(run.id[:SHOWN_ID] for run in found)
        raise UsageError(f"“{shortened(wanted, SHOWN)}” names {len(found)} runs; give one of their ids: {ids}")
    return found[0] if found else None


def shown_names(runs: Sequence[Run]) -> dict[str, str]:
    """Run id -> its name, with the beginning of its id where another run has the same, or the id alone where it has none."""
    names = Counter(run.name for run in runs)
    return {
        run.id: run.id[:SHOWN_ID] if not run.name else run.name if names[run.name] == 1 else f"{run.name} ({run.id[:SHOWN_ID]})"
        for run in runs
    }


def run_id(store: Store, wanted: str | None) -> str | None:
    """The id of the run that ``--run`` names; None where none was named.

    Raises:
        UsageError: It stands for no run, or for several.
    """
    if wanted is None:
        return None
    runs = store.runs()
    found = find_run(runs, wanted)
    if found is None:
        known = ", ".join(f"{visible_line(run.name)} ({run.id[:SHOWN_ID]})" for run in runs)
        raise UsageError(f"--run {shortened(wanted, SHOWN)}: there is no such run; there is {known or 'none'}")
    return found.id
