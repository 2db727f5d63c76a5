"""The frame that estimates speak for: counts by cell of everything imported, and the items that have been labelled.

A frame of a million items is counted in passes that follow the keys of the tables, with each combination of texts replaced
by a small number: sorting the texts themselves, or looking up every item in three tables at random, takes three times as long.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, NamedTuple

from adjudicate.storage.store import FrameCell, FrameItem, JudgeScores, PromptCount

STRATUM = "coalesce(u.draw_id || ' | ' || u.stratum, '')"
FIELDS = "p.population, p.intent, i.model, i.run_id, p.category, p.language"
SCORES = "count(v.helpfulness), total(v.helpfulness), count(v.safety), total(v.safety)"

JUDGES = """
SELECT j.id, j.name FROM judges AS j
ORDER BY (SELECT count(*) FROM verdicts AS v WHERE v.judge_id = j.id) DESC, j.rowid
"""
PLACES = f"""
SELECT i.rowid, place_code(json_array({FIELDS})) FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id
"""
ITEMS_ONLY = """
SELECT place_of(i.rowid), u.draw_id, u.stratum, NULL, 0, count(*), 0, 0.0, 0, 0.0
FROM items AS i LEFT JOIN draw_units AS u ON u.item_id = i.id GROUP BY 1, 2, 3
"""
FIRST_JUDGE = f"""
SELECT place_of(i.rowid), u.draw_id, u.stratum, v.outcome, v.item_id IS NOT NULL, count(*), {SCORES}
FROM items AS i LEFT JOIN verdicts AS v ON v.item_id = i.id AND v.judge_id = ? LEFT JOIN draw_units AS u ON u.item_id = i.id
GROUP BY 1, 4, 5, 2, 3
"""
OTHER_JUDGE = f"""
SELECT place_of(i.rowid), u.draw_id, u.stratum, v.outcome, 1, count(*), {SCORES}
FROM verdicts AS v JOIN items AS i ON i.id = v.item_id LEFT JOIN draw_units AS u ON u.item_id = v.item_id
WHERE v.judge_id = ? GROUP BY 1, 4, 2, 3
"""
LABELLED = f"""
SELECT i.id, coalesce(i.source_id, ''), i.model, i.run_id, p.population, p.intent, p.category, p.language,
    {STRATUM}, k.item_id IS NOT NULL, p.id, p.pair, length(i.response), length(coalesce(p.messages, p.text)), k.blind,
    CASE WHEN p.messages IS NULL THEN 1 ELSE
        (SELECT count(*) FROM json_each(p.messages) AS m WHERE json_extract(m.value, '$[0]') = 'user') END,
    (SELECT j.name FROM draws AS d JOIN judges AS j ON j.id = d.judge_id WHERE d.id = u.draw_id)
FROM (SELECT DISTINCT item_id FROM events WHERE kind IN ('label', 'resolution', 'gold', 'undecided')) AS l
JOIN items AS i ON i.id = l.item_id
JOIN prompts AS p ON p.id = i.prompt_id
LEFT JOIN draw_units AS u ON u.item_id = i.id
LEFT JOIN picks AS k ON k.item_id = i.id
ORDER BY i.rowid
"""
VERDICTS_ON = """
SELECT v.item_id, j.name, v.outcome, v.score, v.helpfulness, v.safety
FROM json_each(?) AS wanted CROSS JOIN verdicts AS v ON v.item_id = wanted.value JOIN judges AS j ON j.id = v.judge_id
ORDER BY j.rowid
"""
ASKED_AGAIN = "SELECT 1 FROM items GROUP BY prompt_id, model, run_id HAVING count(*) > 1 LIMIT 1"
ANSWERS = f"""
SELECT i.rowid, answer_code(json_array({STRATUM}, v.outcome))
FROM verdicts AS v JOIN items AS i ON i.id = v.item_id LEFT JOIN draw_units AS u ON u.item_id = v.item_id WHERE v.judge_id = ?
"""
PATTERNS = """
SELECT place_of(first), pattern, count(*) FROM (
    SELECT min(item) AS first, group_concat(answer, ' ') AS pattern FROM (
        SELECT i.rowid AS item, p.rowid AS prompt, i.model, i.run_id, answer_of(i.rowid) AS answer
        FROM items AS i JOIN prompts AS p ON p.id = i.prompt_id ORDER BY prompt, i.model, i.run_id, answer
    ) WHERE answer IS NOT NULL GROUP BY prompt, model, run_id
) GROUP BY 1, 2
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


def cells(connection: sqlite3.Connection) -> list[FrameCell]:
    """Every item counted once under an empty judge, and every verdict once under its judge."""
    judges: list[tuple[str, str]] = connection.execute(JUDGES).fetchall()
    found: dict[tuple[str, ...], FrameCell] = {}
    with _places(connection) as places:
        if not judges:
            passes = [("", connection.execute(ITEMS_ONLY).fetchall())]
        else:
            passes = [(judges[0][1], connection.execute(FIRST_JUDGE, judges[0][:1]).fetchall())]
            passes += [(name, connection.execute(OTHER_JUDGE, (judge_id,)).fetchall()) for judge_id, name in judges[1:]]
        texts = places.texts()
    each_once = [_cell(texts, _Counted(*row), "") for row in passes[0][1]]
    verdicts = [_cell(texts, _Counted(*row), judge) for judge, rows in passes for row in rows if row[4]]
    for cell in (*each_once, *verdicts):
        _add(found, cell)
    return list(found.values())


def items(connection: sqlite3.Connection) -> list[FrameItem]:
    """Items that somebody has said something about, in the order of import, with strata and verdicts."""
    rows = connection.execute(LABELLED).fetchall()
    verdicts: dict[str, dict[str, str | None]] = defaultdict(dict)
    scores: dict[str, dict[str, JudgeScores]] = defaultdict(dict)
    for item_id, judge, outcome, *scored in connection.execute(VERDICTS_ON, (json.dumps([row[0] for row in rows]),)):
        verdicts[item_id][judge] = outcome
        if scored != [None, None, None]:
            scores[item_id][judge] = JudgeScores(*scored)
    return [FrameItem(*_place(row, verdicts[row[0]], scores[row[0]])) for row in rows]


def _place(row: Sequence[Any], verdicts: dict[str, str | None], scores: dict[str, JudgeScores]) -> list[Any]:
    """The columns of `LABELLED` in the order of a `FrameItem`'s fields."""
    planned = None if row[14] is None else bool(row[14])
    return [*row[:9], bool(row[9]), verdicts, *row[10:14], planned, row[15], scores, row[16]]


def prompt_counts(connection: sqlite3.Connection) -> list[PromptCount]:
    """Prompts that one model was asked several times in one run, counted by what came back; empty where none was."""
    if connection.execute(ASKED_AGAIN).fetchone() is None:
        return []
    answers = _Codes()
    connection.create_function("answer_code", 1, answers.of.__getitem__, deterministic=True)
    found: dict[str, list[tuple[int, str, int]]] = {}
    with _places(connection) as places:
        for judge_id, name in connection.execute(JUDGES).fetchall():
            by_item = dict(connection.execute(ANSWERS, (judge_id,)).fetchall())
            connection.create_function("answer_of", 1, by_item.get, deterministic=True)
            found.setdefault(name, []).extend(connection.execute(PATTERNS))
        texts = places.texts()
    for function in ("answer_code", "answer_of"):
        connection.create_function(function, 1, None)
    meanings = [(text[0], text[1]) for text in answers.texts()]
    return [
        PromptCount(*[*texts[place], judge, tuple(meanings[int(code)] for code in pattern.split()), prompts])
        for judge, rows in found.items()
        for place, pattern, prompts in rows
    ]


@contextmanager
def _places(connection: sqlite3.Connection) -> Iterator[_Codes]:
    """`place_of(rowid)` inside the block: population, intent, model, run, category and language of an item as a number."""
    codes = _Codes()
    connection.create_function("place_code", 1, codes.of.__getitem__, deterministic=True)
    numbers = dict(connection.execute(PLACES).fetchall())
    connection.create_function("place_of", 1, numbers.__getitem__, deterministic=True)
    try:
        yield codes
    finally:
        for name in ("place_code", "place_of"):
            connection.create_function(name, 1, None)


def _cell(texts: Sequence[Sequence[str]], row: _Counted, judge: str) -> FrameCell:
    stratum = "" if row.draw is None else f"{row.draw} | {row.stratum}"
    counts: list[Any] = (
        [judge, row.outcome, row.size, row.helpfulness_n, row.helpfulness, row.safety_n, row.safety] if judge else []
    )
    return FrameCell(*[stratum, *texts[row.place], *(counts or ["", None, row.size])])


def _add(found: dict[tuple[str, ...], FrameCell], cell: FrameCell) -> None:
    """Add a cell to those found, to its like where there is one: two judges may share a name."""
    key = (
        cell.stratum, cell.population, cell.intent, cell.model, cell.run_id, cell.category, cell.language, cell.judge,
        "" if cell.verdict is None else f"={cell.verdict}",
    )  # fmt: skip
    known = found.get(key)
    found[key] = cell if known is None else known.plus(cell)
