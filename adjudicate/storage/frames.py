"""The frame that estimates speak for: counts by cell of everything imported, and the items that have been labelled.

A frame of a million items is counted in passes that follow the keys of the tables, with each combination of texts replaced
by a small number: sorting the texts themselves, or looking up every item in three tables at random, takes three times as long.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from adjudicate.core.queue_turns import Turn
from adjudicate.storage.place_codes import FIELDS, NOTHING, PLACE, PLACE_BITS, Codes, Places, by_rowid, places_read
from adjudicate.storage.queue_turns import turns
from adjudicate.storage.store import Frame, FrameCell, FrameItem, JudgePairCount, JudgeScores, PromptCount
from adjudicate.storage.text_functions import SAID_IN

STRATUM = "coalesce(u.draw_id || ' | ' || u.stratum, '')"
SCORES = "count(v.helpfulness), total(v.helpfulness), count(v.safety), total(v.safety)"

JUDGES = """
SELECT j.id, j.name FROM judges AS j
ORDER BY (SELECT count(*) FROM verdicts AS v WHERE v.judge_id = j.id) DESC, j.rowid
"""
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
    p.id, p.pair, characters(i.response), characters({SAID_IN}), k.blind,
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


STAMP = "SELECT coalesce(max(rowid), 0), (SELECT count(*) FROM draws) FROM items"


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


def frame(connection: sqlite3.Connection, *, prompts: bool, pairs: bool = False, verdicts: bool = True) -> Frame:
    """The frame, counted in one reading of the items; prompts with several answers and pairs of judges where asked for.

    Without `verdicts` the items alone are counted, and no judge is looked at.
    """
    judges: list[tuple[str, str]] = connection.execute(JUDGES).fetchall() if verdicts else []
    with places_read(connection) as places:
        passes = _passes(connection, judges)
        answers = _prompt_counts(connection, judges, places) if prompts else []
        both = _pair_counts(connection, judges, places) if pairs else []
    return Frame(_cells(passes, places.texts()), answers, both)


def stamp(connection: sqlite3.Connection) -> tuple[int, int]:
    """Another one as soon as the items of any stratum are others: items and draws are only ever added."""
    newest, draws = connection.execute(STAMP).fetchone()
    return newest, draws


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


def _prompt_counts(connection: sqlite3.Connection, judges: Sequence[tuple[str, str]], places: Places) -> list[PromptCount]:
    """Prompts that one model was asked several times in one run, counted by what came back; empty where none was."""
    if not places.asked_again:
        return []
    codes = Codes()
    connection.create_function("answer_code", 1, codes.of.__getitem__, deterministic=True)
    patterns = [(name, _patterns(connection.execute(ANSWERS, (judge_id,)), places)) for judge_id, name in judges]
    connection.create_function("answer_code", 1, None)
    texts, meanings = places.texts(), [(text[0], text[1]) for text in codes.texts()]
    return [
        PromptCount(*[*texts[place], judge, tuple(meanings[code] for code in answers), prompts])
        for judge, found in patterns
        for (place, answers), prompts in found
    ]


def _pair_counts(connection: sqlite3.Connection, judges: Sequence[tuple[str, str]], places: Places) -> list[JudgePairCount]:
    """What each two judges said of the items that both gave an outcome."""
    found = []
    for first, second in combinations(sorted(judges, key=lambda judge: judge[1]), 2):
        rows = connection.execute(PAIRS, {"first": first[0], "second": second[0]}).fetchall()
        texts = places.texts() if rows else []
        found += [JudgePairCount(*[*texts[place], first[1], second[1], (one, two), n]) for place, one, two, n in rows]
    return found


def _patterns(rows: Iterable[tuple[int, int]], places: Places) -> list[tuple[tuple[int, tuple[int, ...]], int]]:
    """Place and sorted answer codes of the prompts that have a verdict, with how many prompts share them.

    Args:
        rows: Rowid of an item and code of its answer.
        places: Of all items.
    """
    by_prompt: defaultdict[int, list[int]] = defaultdict(list)
    # In the order of the items, whose neighbours share a prompt: at random, every step would wait for memory. Chained maps
    # run no line of Python for an item.
    deque(map(list.append, map(by_prompt.__getitem__, places.of), by_rowid("i", len(places.of), rows)), maxlen=0)
    by_prompt.pop(NOTHING, None)
    counted = Counter((asked & PLACE_BITS, tuple(sorted(answers))) for asked, answers in by_prompt.items())
    found: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for (place, answers), prompts in counted.items():
        if given := tuple(code for code in answers if code != NOTHING):
            found[place, given] += prompts
    return sorted(found.items(), key=lambda each: (each[0][0], " ".join(map(str, each[0][1]))))


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
