"""The scores of an Inspect sample: what each scorer said, as verdicts, and what people changed in it, as labels.

An edited score shows the person's value; what the scorer itself had said is the first entry of its history.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from adjudicate.formats.import_options import NotedLabel, Said, raw_text
from adjudicate.formats.inspect_texts import Attachments, whole_text
from adjudicate.formats.problem import RowProblem, kind_of, quoted

UNCHANGED = "UNCHANGED"
"""What an edit says of a field that it leaves alone."""
FAILED = ("grader_failed", "scoring_failed")
"""Reasons of an unscored sample which say that the judge failed on it."""


Score = Mapping[str, Any]
"""One score, or one entry of its history."""
Scores = Mapping[str, Score]
"""The scores of a sample by scorer."""


NOTE = "adjudicate"
"""Under this key of an edit's metadata our own write-back notes what the edit is: ``kind``, ``key``, ``event`` ..."""
LABEL, SETTLEMENT, OPEN = "label", "settlement", "open"
"""Kinds of edits that it makes: a person's label, what settled several, the scorer's value put back while people disagree."""


class Question(NamedTuple):
    """One thing that a scorer answers: its value, or one key of a value with several."""

    scorer: str
    key: str | None
    judge: str
    """The name of the judge that answers it."""
    path: str
    """Where its answer stands in a sample."""


@lru_cache(maxsize=4096)
def question(scorer: str, key: str | None = None) -> Question:
    """The question that a scorer's value answers, or a key of it."""
    if key is None:
        return Question(scorer, None, scorer, f"scores.{scorer}.value")
    return Question(scorer, key, f"{scorer}.{key}", f"scores.{scorer}.value.{key}")


class Answer(NamedTuple):
    """What was said to a question; None where the scorer left the sample unscored."""

    question: Question
    said: Said | None


class HumanValue(NamedTuple):
    """A value that a person put in place of a scorer's."""

    author: str
    question: Question
    raw: object
    settles: bool = False
    """Whether it is the settlement of several people's labels, as our own write-back notes it."""
    event: str | None = None
    """Id of the event that the edit is a copy of, as our own write-back notes it."""
    mode: str | None = None
    """How the label was made, likewise."""

    @property
    def label(self) -> NotedLabel:
        """The value as a row holds it."""
        return NotedLabel.of(self.raw, self.event, self.mode)


def checked(scores: object) -> Scores:
    """The scores of a sample by scorer.

    Raises:
        RowProblem: They are no scores.
    """
    if scores is None:
        return {}
    if not isinstance(scores, dict):
        raise RowProblem("scores", f"expected scores by scorer, found {kind_of(scores)}")
    for name, score in scores.items():
        if not isinstance(score, dict) or "value" not in score:
            raise RowProblem("scores", f"the score of {quoted(name)} has no value")
    return scores


def answers(scores: Scores, attachments: Attachments) -> Iterator[Answer]:
    """What each scorer itself said, in the order of the log. A score that a person added is no scorer's."""
    for name, score in scores.items():
        own = _own(score)
        if own is None:
            continue
        reason = whole_text(_text(own.get("explanation")), attachments, "scores")
        for asked, raw in _split(name, own.get("value")):
            if not _is_unscored(raw):
                yield Answer(asked, Said(raw, reason))
            else:
                yield Answer(asked, Said(None, reason) if _has_failed(own) else None)


def human_values(scores: Scores) -> Iterator[HumanValue]:
    """The last value that each person gave to each question.

    An edit of a value with several keys answers those that it changed.
    """
    for name, score in scores.items():
        if not score.get("history"):
            continue
        latest: dict[tuple[str, Question, bool], HumanValue] = {}
        before: object = None
        for edit in _history(score):
            value = edit.get("value", UNCHANGED)
            if value == UNCHANGED:
                continue
            ours, author = _noted(edit), _author(edit)
            if author and ours.get("kind") != OPEN:
                for asked, raw in _split(name, value):
                    if _is_answered(asked, raw, before, ours):
                        settles = ours.get("kind") == SETTLEMENT
                        noted = (_text(ours.get("event")) or None, _text(ours.get("mode")) or None)
                        latest[author, asked, settles] = HumanValue(author, asked, raw, settles, *noted)
            before = value
        yield from (said for said in latest.values() if not _is_unscored(said.raw))


def people(values: Collection[HumanValue]) -> dict[str, NotedLabel]:
    """Labels by person. Who answered several questions differently is named with the question from the second on.

    A label that another workspace wrote again under another name counts once.
    """
    found: dict[str, NotedLabel] = {}
    for said in values:
        if said.settles or (said.event is not None and said.event in {label.event for label in found.values()}):
            continue
        if said.author not in found:
            found[said.author] = said.label
        elif raw_text(found[said.author].raw) != raw_text(said.raw):
            found[f"{said.author} on {said.question.judge}"] = said.label
    return found


def as_said(scores: Scores) -> dict[str, Score]:
    """The scores with the scorers' own values in place of those that people put there."""
    return {name: own for name, score in scores.items() if (own := _own(score)) is not None}


def _own(score: Score) -> Score | None:
    """The score before anyone edited it; None where a person made it."""
    if not score.get("history"):
        return score
    history = _history(score)
    if not history:
        return score
    return None if _author(history[0]) else {**score, **history[0]}


def _history(score: Score) -> list[Score]:
    history = score.get("history")
    return [edit for edit in history if isinstance(edit, dict)] if isinstance(history, list) else []


def _author(edit: Score) -> str:
    provenance = edit.get("provenance")
    return _text(provenance.get("author")) if isinstance(provenance, dict) else ""


def _noted(edit: Score) -> Score:
    """What our own write-back noted of an edit."""
    provenance = edit.get("provenance")
    metadata = provenance.get("metadata") if isinstance(provenance, dict) else None
    noted = metadata.get(NOTE) if isinstance(metadata, dict) else None
    return noted if isinstance(noted, dict) else {}


def _is_answered(asked: Question, raw: object, before: object, ours: Score) -> bool:
    if asked.key is None:
        return True
    if "key" in ours:
        return bool(ours["key"] == asked.key)
    return not isinstance(before, dict) or before.get(asked.key) != raw


def _split(scorer: str, value: object) -> Iterator[tuple[Question, object]]:
    if isinstance(value, dict):
        yield from ((question(scorer, str(key)), each) for key, each in value.items())
    else:
        yield question(scorer), value


def _is_unscored(raw: object) -> bool:
    """Inspect writes NaN for it, which the reader takes as null."""
    return raw is None or (isinstance(raw, float) and math.isnan(raw))


def _has_failed(score: Score) -> bool:
    """Whether an unscored sample is the judge's failure. Until 2026 the reason stood in the metadata."""
    metadata = score.get("metadata")
    before = metadata.get("unscored_reason") if isinstance(metadata, dict) else None
    return score.get("reason") in FAILED or before in FAILED


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
