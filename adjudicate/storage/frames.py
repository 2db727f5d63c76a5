"""The frame that estimates speak for: counts by cell of everything imported, and the items that have been labelled.

A frame of a million items is counted in passes that follow the keys of the tables, with each combination of texts replaced
by a small number: sorting the texts themselves, or looking up every item in three tables at random, takes three times as long.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations, count, starmap
from typing import Any, NamedTuple

from adjudicate.core.queue_turns import Turn
from adjudicate.storage.queue_turns import turns
from adjudicate.storage.store import Frame, FrameCell, FrameItem, JudgePairCount, JudgeScores, PromptCount

STRATUM = "coalesce(u.draw_id || ' | ' || u.stratum, '')"
FIELDS = "p.population, p.intent, i.model, i.run_id, p.category, p.language"
SCORES = "count(v.helpfulness), total(v.helpfulness), count(v.safety), total(v.safety)"

JUDGES = """
SELECT j.id, j.name FROM judges AS j
ORDER BY (SELECT count(*) FROM verdicts AS v WHERE v.judge_id = j.id) DESC, j.rowid
"""
# Prompt and place of an item as one number, so that there is one to look up: the rowid of the prompt, then 31 bits of place.
PLACES = f"""
SELECT i.rowid, (p.rowid << 31) | place_code(json_array({FIELDS})) FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id
"""
SIZE = "SELECT coalesce(max(rowid), 0) + 1 FROM items"
NOTHING = -1
PLACE_BITS = 2**31 - 1
PLACE = f"asked_of(i.rowid) & {PLACE_BITS}"
ITEMS_ONLY = f"""
SELECT {PLACE}, u.draw_id, u.stratum, NULL, 0, count(*), 0, 0.0, 0, 0.0
FROM items AS i LEFT JOIN draw_units AS u ON u.item_id = i.id GROUP BY 1, 2, 3
"""
FIRST_JUDGE = f"""
SELECT {PLACE}, u.draw_id, u.stratum, v.outcome, v.item_id IS NOT NULL, count(*), {SCORES}
FROM items AS i LEFT JOIN verdicts AS v ON v.item_id = i.id AND v.judge_id = ? LEFT JOIN draw_units AS u ON u.item_id = i.id
GROUP BY 1, 4, 5, 2, 3
"""
OTHER_JUDGE = f"""
SELECT {PLACE}, u.draw_id, u.stratum, v.outcome, 1, count(*), {SCORES}
FROM verdicts AS v JOIN items AS i ON i.id = v.item_id LEFT JOIN draw_units AS u ON u.item_id = v.item_id
WHERE v.judge_id = ? GROUP BY 1, 4, 2, 3
"""
LABELLED = f"""
SELECT {FIELDS}, i.id, coalesce(i.source_id, ''), {STRATUM}, k.item_id IS NOT NULL,
    p.id, p.pair, length(i.response), length(coalesce(p.messages, p.text)), k.blind,
    CASE WHEN p.messages IS NULL THEN 1 ELSE
        (SELECT count(*) FROM json_each(p.messages) AS m WHERE json_extract(m.value, '$[0]') = 'user') END,
    (SELECT j.name FROM draws AS d JOIN judges AS j ON j.id = d.judge_id WHERE d.id = u.draw_id)
FROM (SELECT DISTINCT item_id FROM events WHERE kind IN ('label', 'resolution', 'gold', 'undecided') AND round >= ?) AS l
JOIN items AS i ON i.id = l.item_id
JOIN prompts AS p ON p.id = i.prompt_id
LEFT JOIN draw_units AS u ON u.item_id = i.id
LEFT JOIN picks AS k ON k.item_id = i.id
ORDER BY i.rowid
"""
ITEM_ID = 6
"""Column of `LABELLED`."""
VERDICTS_ON = """
SELECT v.item_id, j.name, v.outcome, v.score, v.helpfulness, v.safety
FROM json_each(?) AS wanted CROSS JOIN verdicts AS v ON v.item_id = wanted.value JOIN judges AS j ON j.id = v.judge_id
ORDER BY j.rowid
"""
ANSWERS = f"""
SELECT i.rowid, answer_code(json_array({STRATUM}, v.outcome))
FROM verdicts AS v JOIN items AS i ON i.id = v.item_id LEFT JOIN draw_units AS u ON u.item_id = v.item_id WHERE v.judge_id = ?
"""

PAIRS = f"""
SELECT {PLACE}, v.outcome, w.outcome, count(*)
FROM verdicts AS v JOIN verdicts AS w ON w.item_id = v.item_id AND w.judge_id = :second JOIN items AS i ON i.id = v.item_id
WHERE v.judge_id = :first AND v.outcome IS NOT NULL AND w.outcome IS NOT NULL GROUP BY 1, 2, 3
"""


class _Counted(NamedTuple):
    """One row of a pass over the frame: a cell of items, with or without a verdict of the judge."""

    place: int
    draw: str | None
    stratum: str | None
    outcome: str | None
    judged: int
    size: int
    helpfulness_n: int
    helpfulness: float
    safety_n: int
    safety: float


class _Codes:
    """Texts as small numbers, given out in order of appearance; looking one up runs no line of Python."""

    def __init__(self) -> None:
        numbers = count()
        self.of: defaultdict[str, int] = defaultdict(numbers.__next__)

    def texts(self) -> list[list[Any]]:
        """The JSON behind each number."""
        return [json.loads(text) for text in self.of]


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the items stand."""

    of: array[int]
    """Prompt and place of each item by its rowid, as `PLACES` makes them."""
    codes: _Codes

    @property
    def asked_again(self) -> bool:
        """Whether one model was asked a prompt several times in one run: such items share prompt and place."""
        return len(set(self.of)) - (NOTHING in self.of) < len(self.of) - self.of.count(NOTHING)

    def texts(self) -> list[list[Any]]:
        """Population, intent, model, run, category and language behind each number of a place."""
        return self.codes.texts()


def frame(connection: sqlite3.Connection, *, prompts: bool, pairs: bool = False) -> Frame:
    """The frame, counted in one reading of the items; prompts with several answers and pairs of judges where asked for."""
    judges: list[tuple[str, str]] = connection.execute(JUDGES).fetchall()
    with _places(connection) as places:
        passes = _passes(connection, judges)
        answers = _prompt_counts(connection, judges, places) if prompts else []
        both = _pair_counts(connection, judges, places) if pairs else []
    return Frame(_cells(passes, places.texts()), answers, both)


def _passes(connection: sqlite3.Connection, judges: Sequence[tuple[str, str]]) -> list[tuple[str, list[Any]]]:
    """Name and rows of each judge, the first one's with the items that it never saw."""
    if not judges:
        return [("", connection.execute(ITEMS_ONLY).fetchall())]
    first = (judges[0][1], connection.execute(FIRST_JUDGE, judges[0][:1]).fetchall())
    return [first, *[(name, connection.execute(OTHER_JUDGE, (judge_id,)).fetchall()) for judge_id, name in judges[1:]]]


def _cells(passes: Sequence[tuple[str, list[Any]]], texts: Sequence[Sequence[str]]) -> list[FrameCell]:
    found: dict[tuple[str, ...], FrameCell] = {}
    each_once = [_cell(texts, _Counted(*row), "") for row in passes[0][1]]
    verdicts = [_cell(texts, _Counted(*row), judge) for judge, rows in passes for row in rows if row[4]]
    for cell in (*each_once, *verdicts):
        _add(found, cell)
    return list(found.values())


def items(connection: sqlite3.Connection, *, lowest_round: int = 0) -> list[FrameItem]:
    """Items that somebody has said something about, in the order of import, with strata and verdicts.

    Args:
        connection: To the store.
        lowest_round: Below it nothing that was said makes an item one of these.
    """
    rows = connection.execute(LABELLED, (lowest_round,)).fetchall()
    verdicts: dict[str, dict[str, str | None]] = defaultdict(dict)
    scores: dict[str, dict[str, JudgeScores]] = defaultdict(dict)
    for item_id, judge, outcome, *scored in connection.execute(VERDICTS_ON, (json.dumps([row[ITEM_ID] for row in rows]),)):
        verdicts[item_id][judge] = outcome
        if scored != [None, None, None]:
            scores[item_id][judge] = JudgeScores(*scored)
    in_turn = turns(connection)
    return [
        FrameItem(*_place(row, verdicts[row[ITEM_ID]], scores[row[ITEM_ID]], in_turn.get(row[ITEM_ID], "counts"))) for row in rows
    ]


def _place(row: Sequence[Any], verdicts: dict[str, str | None], scores: dict[str, JudgeScores], turn: Turn) -> list[Any]:
    """The columns of `LABELLED` in the order of a `FrameItem`'s fields."""
    planned = None if row[14] is None else bool(row[14])
    return [*row[:9], bool(row[9]), verdicts, *row[10:14], planned, row[15], scores, row[16], turn]


def _prompt_counts(connection: sqlite3.Connection, judges: Sequence[tuple[str, str]], places: _Places) -> list[PromptCount]:
    """Prompts that one model was asked several times in one run, counted by what came back; empty where none was."""
    if not places.asked_again:
        return []
    codes = _Codes()
    connection.create_function("answer_code", 1, codes.of.__getitem__, deterministic=True)
    patterns = [(name, _patterns(connection.execute(ANSWERS, (judge_id,)), places)) for judge_id, name in judges]
    connection.create_function("answer_code", 1, None)
    texts, meanings = places.texts(), [(text[0], text[1]) for text in codes.texts()]
    return [
        PromptCount(*[*texts[place], judge, tuple(meanings[code] for code in answers), prompts])
        for judge, found in patterns
        for (place, answers), prompts in found
    ]


def _pair_counts(connection: sqlite3.Connection, judges: Sequence[tuple[str, str]], places: _Places) -> list[JudgePairCount]:
    """What each two judges said of the items that both gave an outcome."""
    found = []
    for first, second in combinations(sorted(judges, key=lambda judge: judge[1]), 2):
        rows = connection.execute(PAIRS, {"first": first[0], "second": second[0]}).fetchall()
        texts = places.texts() if rows else []
        found += [JudgePairCount(*[*texts[place], first[1], second[1], (one, two), n]) for place, one, two, n in rows]
    return found


def _patterns(rows: Iterable[tuple[int, int]], places: _Places) -> list[tuple[tuple[int, tuple[int, ...]], int]]:
    """Place and sorted answer codes of the prompts that have a verdict, with how many prompts share them.

    Args:
        rows: Rowid of an item and code of its answer.
        places: Of all items.
    """
    by_prompt: defaultdict[int, list[int]] = defaultdict(list)
    # In the order of the items, whose neighbours share a prompt: at random, every step would wait for memory. Chained maps
    # run no line of Python for an item.
    deque(map(list.append, map(by_prompt.__getitem__, places.of), _by_rowid("i", len(places.of), rows)), maxlen=0)
    by_prompt.pop(NOTHING, None)
    counted = Counter((asked & PLACE_BITS, tuple(sorted(answers))) for asked, answers in by_prompt.items())
    found: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for (place, answers), prompts in counted.items():
        if given := tuple(code for code in answers if code != NOTHING):
            found[place, given] += prompts
    return sorted(found.items(), key=lambda each: (each[0][0], " ".join(map(str, each[0][1]))))


def _by_rowid(kind: str, size: int, rows: Iterable[tuple[int, int]]) -> array[int]:
    """Numbers by rowid, `NOTHING` where there is none; a hundredth of the memory of a dictionary, and as much quicker to read."""
    found = array(kind, [NOTHING]) * size
    deque(starmap(found.__setitem__, rows), maxlen=0)
    return found


@contextmanager
def _places(connection: sqlite3.Connection) -> Iterator[_Places]:
    """`asked_of(rowid)` inside the block: prompt and place of an item as one number, as `PLACES` makes it."""
    codes = _Codes()
    connection.create_function("place_code", 1, codes.of.__getitem__, deterministic=True)
    size = connection.execute(SIZE).fetchone()[0]
    places = _Places(_by_rowid("q", size, connection.execute(PLACES)), codes)
    connection.create_function("asked_of", 1, places.of.__getitem__, deterministic=True)
    try:
        yield places
    finally:
        for name in ("place_code", "asked_of"):
            connection.create_function(name, 1, None)


def _cell(texts: Sequence[Sequence[str]], row: _Counted, judge: str) -> FrameCell:
    stratum = "" if row.draw is None else f"{row.draw} | {row.stratum}"
    counts: list[Any] = (
        [judge, row.outcome, row.size, row.helpfulness_n, row.helpfulness, row.safety_n, row.safety] if judge else []
    )
    return FrameCell(*[*texts[row.place], stratum, *(counts or ["", None, row.size])])


def _add(found: dict[tuple[str, ...], FrameCell], cell: FrameCell) -> None:
    """Add a cell to those found, to its like where there is one: two judges may share a name."""
    key = (
        cell.stratum, cell.population, cell.intent, cell.model, cell.run_id, cell.category, cell.language, cell.judge,
        "" if cell.verdict is None else f"={cell.verdict}",
    )  # fmt: skip
    known = found.get(key)
    found[key] = cell if known is None else known.plus(cell)
