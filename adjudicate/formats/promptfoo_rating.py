"""People's ratings in promptfoo results, written as promptfoo itself writes one: a component of type ``human`` beside the others.

A rating overrides pass, score, failure reason and the grading of its result; what these were is kept under `RATING` in the
result's metadata, in the form from which newer versions of promptfoo put them back when the rating is taken away. The judge's
components stay. Totals of prompts and of the run follow.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from adjudicate.formats.json_document import whole_text
from adjudicate.formats.json_splice import Splice
from adjudicate.formats.promptfoo import ERROR, HUMAN, NOTE, RESULT_KEYS
from adjudicate.formats.text_file import SourceFile

OVERRIDES = "Manual result (overrides all other grading results)"
"""What promptfoo calls the reason of a rating."""
OWN = "__promptfoo"
RATING = "manualRating"
ASSERTED = 1
"""`failureReason` of a test that did not pass."""
CATEGORIES = {
    "pass": ("testPassCount", "successes"),
    "fail": ("testFailCount", "failures"),
    "error": ("testErrorCount", "errors"),
}
"""What a result counts as, with the names of that count in a prompt's metrics and in the statistics of the run."""

Place = tuple[int, int | None]
"""Number of a result from 1 and None, or row and output of a table from 0."""


class Rating(NamedTuple):
    """What holds for one result."""

    passed: bool
    comment: str
    """In words; shown beside the rating."""
    noted: Mapping[str, Any]
    """Kept with the rating, JSON types."""


@dataclass(slots=True)
class _Totals:
    """How much the counts change, by prompt (None for the run)."""

    prompts: dict[int, Counter[str]] = field(default_factory=dict)
    run: Counter[str] = field(default_factory=Counter)

    def note(self, prompt: object, changes: Mapping[str, float], run: Mapping[str, int]) -> None:
        """Count one more result."""
        if isinstance(prompt, int):
            self.prompts.setdefault(prompt, Counter()).update(changes)
        self.run.update(run)


def rated(source: SourceFile, ratings: Mapping[Place, Rating]) -> str:
    """The text of a document of results with ratings in it.

    Args:
        source: The results.
        ratings: By the place of their result, as `promptfoo` keeps it.

    Raises:
        InputError: It cannot be read.
    """
    splice = Splice(whole_text(source))
    summary = _summary(splice)
    totals = _Totals()
    for place, start, prompt in _results(splice, summary):
        if place in ratings:
            _rate(splice, start, prompt, ratings[place], totals)
    _count(splice, summary, totals)
    return splice.result()


def rated_line(text: str, rating: Rating) -> str:
    """One result of a file of JSON lines with a rating in it."""
    splice = Splice(text)
    _rate(splice, len(text) - len(text.lstrip()), None, rating, _Totals())
    return splice.result()


def _summary(splice: Splice) -> int:
    """Where the value begins that holds the results: the document, or what stands under its ``results``."""
    start = len(splice.text) - len(splice.text.lstrip())
    inner = splice.member(start, "results")
    return start if inner is None or splice.text[inner] != "{" else inner


def _results(splice: Splice, summary: int) -> Iterator[tuple[Place, int, object]]:
    """Place, start and prompt of each result, in the order of `promptfoo.plan`."""
    if splice.text[summary] == "{" and all(splice.member(summary, key) is not None for key in RESULT_KEYS):
        yield (1, None), summary, _prompt(splice, summary)
        return
    table = splice.member(summary, "table")
    if table is not None and splice.text[table] == "{" and splice.written(table).strip("{} \t\r\n"):
        yield from _cells(splice, table)
        return
    lists = (splice.member(summary, key) for key in ("results", "outputs"))
    found = (
        summary
        if splice.text[summary] == "["
        else next((each for each in lists if each is not None and splice.elements(each)), None)
    )
    for number, start in enumerate(splice.elements(found) if found is not None else (), start=1):
        yield (number, None), start, _prompt(splice, start)


def _cells(splice: Splice, table: int) -> Iterator[tuple[Place, int, object]]:
    body = splice.member(table, "body")
    for row, start in enumerate(splice.elements(body) if body is not None else ()):
        outputs = splice.member(start, "outputs")
        for number, output in enumerate(splice.elements(outputs) if outputs is not None else ()):
            yield (row, number), output, number


def _prompt(splice: Splice, result: int) -> object:
    found = splice.member(result, "promptIdx")
    return None if found is None else splice.value(found)


def _rate(splice: Splice, start: int, prompt: object, rating: Rating, totals: _Totals) -> None:
    before = splice.value(start)
    passed, score = "true" if rating.passed else "false", str(int(rating.passed))
    for key, value in (("success", passed), ("pass", passed), ("score", score), ("failureReason", str(int(not rating.passed)))):
        if key in before:
            splice.put(start, key, value)
    grading = before.get("gradingResult")
    components = grading.get("componentResults") if isinstance(grading, dict) else None
    previous = [each for each in components or () if _is_human(each)]
    if not previous:
        _keep_original(splice, start, before)
    _grade(splice, start, before, rating, _component(rating, previous))
    _note(totals, prompt, before, rating, previous)


def _is_human(component: Any) -> bool:
    assertion = component.get("assertion") if isinstance(component, dict) else None
    return isinstance(assertion, dict) and assertion.get("type") == HUMAN


def _component(rating: Rating, previous: list[Any]) -> str:
    # Whoever rates it again may leave the note in place, so it says which rating it belongs to.
    noted = {**rating.noted, "pass": rating.passed, **({"replaces": previous} if previous else {})}
    return json.dumps(
        {
            "pass": rating.passed,
            "score": int(rating.passed),
            "reason": OVERRIDES,
            "comment": rating.comment,
            "assertion": {"type": HUMAN},
            "metadata": {NOTE: noted},
        },
        ensure_ascii=False,
    )


def _grade(splice: Splice, start: int, before: Mapping[str, Any], rating: Rating, component: str) -> None:
    """The grading with the rating as its last component, and as what it says."""
    passed, score, reason = "true" if rating.passed else "false", str(int(rating.passed)), json.dumps(OVERRIDES)
    place = splice.member(start, "gradingResult")
    grading = before.get("gradingResult")
    if place is None or not isinstance(grading, dict):
        splice.put(
            start,
            "gradingResult",
            f'{{"pass": {passed}, "score": {score}, "reason": {reason}, "componentResults": [{component}]}}',
        )
        return
    splice.put(place, "pass", passed)
    splice.put(place, "score", score)
    if "text" not in before:
        # In a table the reason stands in the output's text too, where it tells a reader what is not the model's.
        splice.put(place, "reason", reason)
    components = splice.member(place, "componentResults")
    if components is None or splice.text[components] != "[":
        # A grading without components is that of its one assertion, and a judge: it becomes a component.
        own = [splice.written(place)] if isinstance(grading.get("assertion"), dict) else []
        splice.put(place, "componentResults", f"[{', '.join([*own, component])}]")
        return
    human = [each for each in splice.elements(components) if _is_human(splice.value(each))]
    if not human:
        splice.append(components, component)
        return
    # The last of them is the one that counts.
    splice.replace(human[-1], component)


def _keep_original(splice: Splice, start: int, before: Mapping[str, Any]) -> None:
    """What the rating overrides, as promptfoo keeps it."""
    grading = before.get("gradingResult")
    kept: dict[str, Any] | None = None
    if isinstance(grading, dict):
        kept = {key: grading[key] for key in ("pass", "score", "reason", "comment", "assertion") if key in grading}
        had = {"hadComment": "comment", "hadAssertion": "assertion", "hadComponentResults": "componentResults"}
        kept |= {name: key in grading for name, key in had.items()}
    reason = before.get("failureReason")
    original = {
        "success": before.get("success", before.get("pass")),
        "score": before.get("score"),
        "failureReason": reason if reason in (0, ASSERTED, ERROR) else 0,
        "gradingResult": kept,
    }
    state = json.dumps({"version": 1, "status": "active", "original": original}, ensure_ascii=False, default=str)
    metadata = splice.member(start, "metadata")
    own = None if metadata is None else splice.member(metadata, OWN)
    if metadata is None or splice.text[metadata] != "{":
        splice.put(start, "metadata", f'{{"{OWN}": {{"{RATING}": {state}}}}}')
    elif own is None or splice.text[own] != "{":
        splice.put(metadata, OWN, f'{{"{RATING}": {state}}}')
    else:
        splice.put(own, RATING, state)


def _note(totals: _Totals, prompt: object, before: Mapping[str, Any], rating: Rating, previous: list[Any]) -> None:
    passed = before.get("success", before.get("pass"))
    was = "pass" if passed else "error" if before.get("failureReason") == ERROR else "fail"
    now = "pass" if rating.passed else "fail"
    counts: Counter[str] = Counter({("assertPassCount" if rating.passed else "assertFailCount"): 1})
    counts.subtract("assertPassCount" if each.get("pass") else "assertFailCount" for each in previous[-1:])
    score = before.get("score")
    changes: dict[str, float] = dict(counts)
    if isinstance(score, int | float):
        changes["score"] = int(rating.passed) - score
    run: dict[str, int] = {}
    if was != now:
        changes |= {CATEGORIES[was][0]: -1, CATEGORIES[now][0]: 1}
        run = {CATEGORIES[was][1]: -1, CATEGORIES[now][1]: 1}
    totals.note(prompt, changes, run)


def _count(splice: Splice, summary: int, totals: _Totals) -> None:
    """Bring the totals up to date, where there are any."""
    if splice.text[summary] != "{":
        return
    table = splice.member(summary, "table")
    head = None if table is None else splice.member(table, "head")
    prompts = splice.member(summary if head is None else head, "prompts")
    for number, start in enumerate(splice.elements(prompts) if prompts is not None else ()):
        metrics = splice.member(start, "metrics")
        if metrics is not None and number in totals.prompts:
            _add(splice, metrics, totals.prompts[number])
    stats = splice.member(summary, "stats")
    if stats is not None:
        _add(splice, stats, totals.run)


def _add(splice: Splice, place: int, changes: Mapping[str, float]) -> None:
    for key, change in changes.items():
        found = splice.member(place, key)
        value = None if found is None else splice.value(found)
        if found is not None and change and isinstance(value, int | float) and not isinstance(value, bool):
            splice.replace(found, json.dumps(value + change))
