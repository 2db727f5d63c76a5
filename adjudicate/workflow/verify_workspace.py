"""`check`: is everything still what its hash, its seed or its chain says? In words; nothing where all is well.

What a chain cannot show is that its tail was cut off: that takes a receipt, see `compare_receipt`. Verdicts carry no hash.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from adjudicate.core.items import content_id
from adjudicate.core.labels import note_digest
from adjudicate.core.sampling import Stratum, queue
from adjudicate.core.text import visible_line
from adjudicate.errors import PolicyError
from adjudicate.formats.policy_file import fingerprint_of, read_policy
from adjudicate.storage.rows import Draw
from adjudicate.storage.sqlite_store import SqliteStore
from adjudicate.storage.verification import (
    StoredItem,
    StoredUnit,
    stored_items,
    stored_notes,
    stored_policies,
    stored_prompts,
    stored_queues,
)

LISTED = 20
"""Problems of one kind that are listed one by one."""
LEEWAY = 8
"""Numbers beyond the expected one that an equal row may carry."""


def verify(store: SqliteStore) -> list[str]:
    """Everything that is wrong with a workspace's database."""
    damage = store.damage()
    if damage:
        return damage
    found = list(store.loose_ends())
    for check in CHECKS:
        problems = check(store)
        found += islice(problems, LISTED)
        if rest := sum(1 for _ in problems):
            found.append(f"... and {rest} more like this")
    return found


def _items(store: SqliteStore) -> Iterator[str]:
    """Items whose prompt, response, model or source id was changed."""
    seen: Counter[str] = Counter()
    for item in stored_items(store):
        if not _has_its_id(item, seen):
            yield f"item {item.id}: its prompt, response, model or source id is not what it was imported with"


def _has_its_id(item: StoredItem, seen: Counter[str]) -> bool:
    content = (item.text, item.response, item.model)
    if item.source_id is not None:
        return content_id(*content, item.source_id) == item.id
    # Equal rows without an id of their own are numbered in the order in which they came.
    first = content_id(*content, "#0")
    before = seen[first]
    seen[first] += 1
    if item.id == first and not before:
        return True
    numbers = (before, *(number for number in range(before + LEEWAY) if number != before))
    return any(content_id(*content, f"#{number}") == item.id for number in numbers)


def _prompts(store: SqliteStore) -> Iterator[str]:
    """Prompts whose text or declared tags were changed."""
    for prompt_id, parts in stored_prompts(store):
        if content_id(*parts) != prompt_id:
            yield f"prompt {prompt_id}: its text, intent, population or tags are not what they were imported as"


def _policies(store: SqliteStore) -> Iterator[str]:
    """Policies that are not the text that their fingerprint stands for."""
    for fingerprint, text, used in stored_policies(store):
        name = f"policy {visible_line(used.id)} ({fingerprint[:12]})"
        if fingerprint_of(text) != fingerprint:
            yield f"{name}: its text is not the one that its fingerprint stands for"
            continue
        try:
            written = read_policy(text, used.id)
        except PolicyError:
            yield f"{name}: its text cannot be read any more"
            continue
        if (written.outcomes, written.rates, written.severities) != (used.outcomes, used.rates, used.severities):
            yield f"{name}: the outcomes, rates or severities in use are not those of its text"


def _notes(store: SqliteStore) -> Iterator[str]:
    """Notes that were changed after they were written."""
    for note in stored_notes(store):
        if note_digest(note.text, note.salt) != note.digest:
            yield f"{note.annotator_id}: the note of event {note.seq} is not what was written"


def _draws(store: SqliteStore) -> Iterator[str]:
    """Queues that do not follow from the seed, and strata that are not what the draw says of them."""
    draws = {draw.id: draw for draw in store.draws()}
    lines: dict[str, list[Draw]] = defaultdict(list)
    for draw in draws.values():
        lines[draw.extends or draw.id].append(draw)
    missing = {(root, stratum.name) for root, line in lines.items() for stratum in line[-1].strata}
    for draw_id, name, units in stored_queues(store):
        missing.discard((draw_id, name))
        for problem in _stratum(lines.get(draw_id, []), name, units):
            yield f"draw {draw_id}, stratum {visible_line(name)}: {problem}"
    for draw_id, name in sorted(missing):
        yield f"draw {draw_id}, stratum {visible_line(name)}: none of its items is recorded"


def _stratum(line: Sequence[Draw], name: str, units: Sequence[StoredUnit]) -> Iterator[str]:
    """What is wrong with one queue, given its draw and the extensions of it."""
    said = {draw.id: stratum for draw in line for stratum in draw.strata if stratum.name == name}
    if not said:
        yield "the draw has no such stratum"
        return
    ids = [unit.item_id for unit in units]
    together = 2 if line[0].settings.get("pair") else 1
    if [unit.place for unit in units] != list(range(len(units))) or ids[::together] != queue(line[0].seed, ids[::together]):
        yield f"the order of its items does not follow from the seed {line[0].seed}"
    if {stratum.size for stratum in said.values()} != {len(units)}:
        yield f"{len(units)} items are recorded, the draw says {said[line[-1].id].size if line[-1].id in said else 'otherwise'}"
    yield from _picks(list(said.values())[-1], said, units)


def _picks(last: Stratum, said: dict[str, Stratum], units: Sequence[StoredUnit]) -> Iterator[str]:
    picked = [unit for unit in units if unit.picked_by is not None]
    if picked != list(units[: last.drawn]):
        yield f"the {last.drawn} items at the head of the queue are not the {len(picked)} that are drawn"
    chances = {draw_id: stratum.inclusion_probability for draw_id, stratum in said.items()}
    wrong = [each for each in picked if not math.isclose(chances.get(each.picked_by or "", -1), each.inclusion_probability or 0)]
    if wrong:
        yield f"{len(wrong)} drawn items have an inclusion probability other than drawn items / items"


CHECKS: tuple[Callable[[SqliteStore], Iterator[str]], ...] = (_items, _prompts, _policies, _notes, _draws)
