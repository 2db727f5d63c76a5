"""Writing items that were selected or found into a file, in a worker; the screen is told where it is, or why it is not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from textual.message import Message

from adjudicate.core.text import visible_line
from adjudicate.errors import AdjudicateError
from adjudicate.settings import WorkspacePaths
from adjudicate.tui.bench import Bench, with_own_store
from adjudicate.tui.screens.workplace import Workplace


class Exported(Message):
    """An export has ended."""

    def __init__(self, words: str, *, is_good: bool) -> None:
        super().__init__()
        self.words, self.is_good = words, is_good


def export(screen: Workplace, chosen: Sequence[int], *, with_text: bool) -> None:
    """Start it; `Exported` follows.

    Args:
        screen: Whose worker it is.
        chosen: Rowids of the items, in the order of the file.
        with_text: Prompts and responses too, not only ids.
    """
    write = partial(_write, screen.bench, chosen, with_text=with_text)
    screen.run_worker(lambda: screen.post_message(write()), thread=True, group="export", exit_on_error=False)


def _write(bench: Bench, chosen: Sequence[int], *, with_text: bool) -> Exported:
    from adjudicate.workflow.export_browsed import export_browsed

    folder, at = WorkspacePaths(bench.database.parent.parent).exports, bench.clock.now()
    try:
        path = with_own_store(bench.database, lambda store: export_browsed(store, chosen, folder, at=at, with_text=with_text))
    except AdjudicateError as problem:
        return Exported(f"not exported: {problem}", is_good=False)
    what = "with their texts" if with_text else "ids only; {browse.export_texts} adds the texts"
    return Exported(f"{visible_line(f'{folder.name}/{path.name}')}: {len(chosen):,} items, {what}", is_good=True)
