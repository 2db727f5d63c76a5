"""The short way from a row to its draft, for rows with the same columns whose values are of the usual types.

What has to be decided about such a row was decided for one before it, by `formats.fields`: which column is which field,
what its tags mean, which outcome its verdict names. A row with anything unusual is not read here, so nothing is checked less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from adjudicate.core.items import RowDraft, VerdictDraft
from adjudicate.formats.import_options import MOST_REPEATS, NAMED

REPEATED = ("model", "intent", "population", "category", "language", "pair", "verdict", "judge")
"""Fields whose values come back from row to row."""
NUMBERS = {"score": 1, "helpfulness": 100, "safety": 100}
"""Numbers of a verdict, in its order, and the most that each may be."""
MOST_KNOWN = 10_000

Pack = Callable[[str, str], str]


class _Said(NamedTuple):
    """What a combination of repeated values was found to mean."""

    tags: tuple[str, str, str, str, str, str]
    judge: str
    outcome: str | None
    verdict: bool
    """Whether there is one."""
    repeat: int
    """Which reading of the judge it is, where no column says so."""
    raw: str
    """The class, where it is no outcome."""


class UsualRows:
    """Rows with one set of columns."""

    def __init__(self, columns: Mapping[str, str], found: Iterable[str]) -> None:
        there = set(found)
        at = {field: column for field, column in columns.items() if column in there}
        plain = not any(map(NAMED.fullmatch, there))
        self._can_be_read = plain and "prompt" in at and "response" in at and "messages" not in at and "gold" not in at
        self._prompt, self._response = columns["prompt"], columns["response"]
        self._id = at.get("id")
        self._reason = at.get("reason")
        self._repeat = at.get("repeat")
        self._numbers = [(place, at[name], NUMBERS[name]) for place, name in enumerate(NUMBERS) if name in at]
        self._repeated = [at[name] for name in REPEATED if name in at]
        self._known: dict[tuple[Any, ...], _Said] = {}

    def learn(self, row: Mapping[str, Any], draft: RowDraft) -> None:
        """Remember what was found out about a row that was read with care."""
        values = tuple([row[column] for column in self._repeated])
        judged = len(draft.verdicts) == 1
        plain = judged or not (draft.verdicts or self._numbers or self._reason)
        # Numbers are left out, because 1, 1.0 and true would find each other.
        texts = all(value is None or type(value) is str for value in values)
        if not (self._can_be_read and plain and texts) or len(self._known) >= MOST_KNOWN:
            return
        tags = (draft.model, draft.intent, draft.population, draft.category, draft.language, draft.pair)
        judge, outcome, *_, raw = draft.verdicts[0] if judged else ("", None, "")
        self._known[values] = _Said(tags, judge, outcome, judged, draft.repeat, raw)

    def draft(self, row: Mapping[str, Any], line: int, pack: Pack) -> RowDraft | None:
        """The row as a draft; None where it has to be read with care. See `FieldMap.draft`."""
        try:
            said = self._known.get(tuple([row[column] for column in self._repeated]))
        except TypeError:  # a list or an object where a text usually is
            return None
        if said is None:
            return None
        prompt, response = row[self._prompt], row[self._response]
        source_id = row[self._id] if self._id is not None else None
        if type(prompt) is not str or type(response) is not str:
            return None
        if self._id is not None and (type(source_id) is not str or not source_id or source_id.isspace()):
            return None
        verdicts: tuple[VerdictDraft, ...] = ()
        if said.verdict:
            verdict = self._verdict(row, said)
            if verdict is None:
                return None
            verdicts = (verdict,)
        repeat = said.repeat if self._repeat is None else row[self._repeat]
        if type(repeat) is not int or (repeat and not (said.verdict and 0 < repeat <= MOST_REPEATS)):
            return None
        source = pack(prompt, response)
        # As `RowDraft(...)` makes it, without the call into Python that its constructor is.
        return tuple.__new__(
            RowDraft, (line, source_id, prompt, None, response, *said.tags, verdicts, (), None, source, repeat, None)
        )

    def _verdict(self, row: Mapping[str, Any], said: _Said) -> VerdictDraft | None:
        numbers: list[float | None] = [None, None, None]
        for place, column, most in self._numbers:
            number = row[column]
            if number is None:
                continue
            if (type(number) is not float and type(number) is not int) or not 0 <= number <= most:
                return None
            numbers[place] = float(number)
        reason = row[self._reason] if self._reason is not None else ""
        if type(reason) is not str and reason is not None:
            return None
        return tuple.__new__(VerdictDraft, (said.judge, said.outcome, *numbers, reason or "", said.raw))
