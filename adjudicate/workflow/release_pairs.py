"""The prompts that two sides of a gate share, with the labels that both have on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from adjudicate.core.text import visible_line
from adjudicate.errors import UsageError
from adjudicate.stats.adjudicated_change import Place
from adjudicate.stats.run_change import LabelledPair, Pairs
from adjudicate.storage.paired_rows import named_pairs, pair_cells, prompt_counts
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.workflow.read_side import Side


def read_pairs(store: SqliteStore, before: Side, after: Side) -> Mapping[Place, Pairs]:
    """Shared prompts by population and declared intent.

    A prompt with several responses on one side is no pair: none is shared then.
    """
    sizes: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
    for cell in pair_cells(store, before.part, after.part):
        sizes.setdefault((cell.population, cell.intent), {})[cell.before, cell.after] = cell.size
    whole = {name: _census(each) for name, each in (("before", before), ("after", after))}
    labelled: dict[tuple[str, str], list[LabelledPair]] = {}
    for pair in named_pairs(store, before.part, after.part, [*before.items, *after.items]):
        one, two = before.items.get(pair.before_item), after.items.get(pair.after_item)
        place = (pair.population, pair.intent)
        if one is None or two is None:
            continue
        drawn = {"before": pair.before_picked and one.in_turn, "after": pair.after_picked and two.in_turn}
        if all(drawn[name] or place in whole[name] for name in drawn):
            labelled.setdefault(place, []).append(
                LabelledPair((pair.before, pair.after), one.gold, two.gold, one.adjudicated_intent, one.cluster)
            )
    prompts: dict[tuple[str, str], Counter[str]] = {}
    repeated: set[tuple[str, str]] = set()
    for count in prompt_counts(store, before.part, after.part):
        place = (count.population, count.intent)
        prompts.setdefault(place, Counter())[count.side] = count.prompts
        if count.items != count.prompts:
            repeated.add(place)
    return {
        place: Pairs({}, (), sides["before"], sides["after"])
        if place in repeated
        else Pairs(sizes.get(place, {}), tuple(labelled.get(place, ())), sides["before"], sides["after"])
        for place, sides in prompts.items()
    }


def _census(each: Side) -> set[tuple[str, str]]:
    """Populations in which every item is labelled."""
    items = Counter((item.population, item.intent) for item in each.items.values())
    sizes: Counter[tuple[str, str]] = Counter()
    for cell in each.cells:
        if not cell.judge:
            sizes[cell.population, cell.intent] += cell.size
    return {place for place, size in sizes.items() if items[place] >= size}


def check_same_model(before: Side, after: Side, pairs: Mapping[Place, Pairs]) -> None:
    """Equal responses of one model are one item, kept under the run that came first: the later run would lack them.

    Raises:
        UsageError: That happened.
    """
    missing = sum(each.before - each.shared for each in pairs.values())
    if before.models == after.models and missing:
        model = visible_line(before.models[0])
        raise UsageError(
            f"{missing} prompts of the baseline have no response in the candidate, and both runs are of the model {model}:"
            " equal responses of one model are one item, under its first run. Import the candidate with --set model=NAME"
        )
