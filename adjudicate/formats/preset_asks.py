"""What a known table leaves open, asked for before anything of it is stored, with the exact flags to give."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import Finding
from adjudicate.formats.import_options import NAMED, ImportOptions, Outcomes, Said, raw_text
from adjudicate.formats.open_questions import Question, about_counted
from adjudicate.formats.preset import Preset
from adjudicate.formats.preset_rows import LaidOut
from adjudicate.formats.unsaid import NO_CLASSES

SHOWN_CLASSES = 8
SHOWN_LENGTH = 40
MOST_KEPT = 1000
"""Different classes that are counted; a column with more of them holds no classes."""


@dataclass(slots=True)
class Survey:
    """What a file holds in the columns that say something of a response."""

    rows: int = 0
    responses: int = 0
    """Rows with a response that is not empty."""
    classes: dict[str, Counter[str]] = field(default_factory=dict)
    """Raw class -> rows, by field: ``verdict.NAME``, ``label.NAME``, gold."""


def survey(rows: Iterator[LaidOut | Finding]) -> Survey:
    """Read a file once for what has to be known of it as a whole."""
    found = Survey()
    for each in rows:
        if isinstance(each, Finding):
            continue
        found.rows += 1
        found.responses += bool(each.row.get("response"))
        for name, value in each.row.items():
            if name == "gold" or NAMED.fullmatch(name):
                raw = value.raw if isinstance(value, Said) else value
                counted = found.classes.setdefault(name, Counter())
                text = "" if raw is None else class_of(raw)
                if text.strip().casefold() not in NO_CLASSES and (text in counted or len(counted) < MOST_KEPT):
                    counted[text] += 1
    return found


def class_of(raw: object) -> str:
    """A class as it is looked up: a whole number without its decimals."""
    text = raw_text(raw)
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else text


def known_outcomes(preset: Preset, options: ImportOptions, policy: Policy) -> dict[str, str]:
    """Raw class -> outcome, as far as the preset knows it under this policy and the user does not say otherwise.

    A policy that lacks one of them draws its lines elsewhere, so it may mean something else by the others: then none is known.
    """
    found = {}
    for raw, each in preset.classes.items():
        outcome = next((outcome for outcome in each.outcomes if policy.outcome(outcome) is not None), None)
        if each.outcomes and outcome is None:
            return {}
        if outcome is not None:
            found[raw] = outcome
    return {raw: outcome for raw, outcome in found.items() if raw not in options.outcomes}


def to_answer(preset: Preset, found: Survey, options: ImportOptions, outcomes: Outcomes) -> Iterator[Question]:
    """The same as `questions` one by one, as far as a class or an intent answers it."""
    if _lacks_intent(preset, options):
        yield Question("set", "intent", "intent of the prompts", found.rows, "intent")
    means = {raw: each.means for raw, each in preset.classes.items()}
    yield from about_counted("classes", _open_classes(preset, found, outcomes), means)


def _lacks_intent(preset: Preset, options: ImportOptions) -> bool:
    return not (preset.intent or any("intent" in known for known in (preset.constants, options.constants, options.columns)))


def questions(preset: Preset, found: Survey, options: ImportOptions, outcomes: Outcomes, policy: Policy) -> list[str]:
    """What the user still has to say, each with its flags."""
    asked = []
    if _lacks_intent(preset, options):
        asked.append(f"whether its prompts are benign or harmful: {preset.intent_advice or '--set intent=benign (or harmful)'}")
    if found.rows and not found.responses and "response" not in options.constants:
        asked.append(
            "what was answered: none of its rows holds a response, these are prompts only;"
            " '--set response=' takes them with an empty one"
        )
    if open_classes := _open_classes(preset, found, outcomes):
        asked.append(_about_classes(preset, open_classes, policy))
    return asked


def _open_classes(preset: Preset, found: Survey, outcomes: Outcomes) -> Counter[str]:
    """Classes without an outcome that are to be asked for.

    A class that the data set does not know is left to the usual way (judge failed, or the row is left out), unless nothing
    of its column is known.
    """
    still_open: Counter[str] = Counter()
    for counted in found.classes.values():
        unknown = {raw: count for raw, count in counted.items() if not outcomes.means_something(raw)}
        whole = len(unknown) == len(counted)
        for raw, count in unknown.items():
            if whole or raw in preset.classes or (preset.scale and _is_number(raw)):
                still_open[raw] += count
    return still_open


def _is_number(raw: str) -> bool:
    try:
        float(raw)
    except ValueError:
        return False
    return True


def _about_classes(preset: Preset, classes: Counter[str], policy: Policy) -> str:
    known = ", ".join(outcome.id for outcome in policy.outcomes)
    end = f"OUTCOME is one of {visible_line(known)}"
    numbers = [float(raw) for raw in classes if _is_number(raw)]
    if preset.scale and numbers:
        return (
            f"which of its numbers is which outcome ({preset.scale}; found {min(numbers):g} to {max(numbers):g}):"
            f" --outcome 0.5..=OUTCOME --outcome ..0.5=OUTCOME, with bounds of your own; {end}"
        )
    flags = [_flag(raw, count, preset) for raw, count in classes.most_common(SHOWN_CLASSES)]
    more = f" and {len(classes) - SHOWN_CLASSES} more classes" if len(classes) > SHOWN_CLASSES else ""
    return f"which outcome each class is: {' '.join(flags)}{more}; {end}"


def _flag(raw: str, count: int, preset: Preset) -> str:
    means = preset.classes[raw].means if raw in preset.classes else ""
    often = "once" if count == 1 else f"{count:,} times"
    return f"--outcome {shlex.quote(f'{shortened(raw, SHOWN_LENGTH)}=OUTCOME')} ({often}{f': {means}' if means else ''})"


def told_classes(outcomes: Mapping[str, str], found: Survey) -> str:
    """Which classes and ranges of a file were read as which outcome; empty where it has none."""
    there = {raw for counted in found.classes.values() for raw in counted}
    used = {raw: outcome for raw, outcome in outcomes.items() if raw in there or (there and ".." in raw)}
    said = [f"'{visible_line(raw)}' is {visible_line(outcome)}" for raw, outcome in used.items()]
    return f"classes: {', '.join(said)}" if said else ""
