"""What a file leaves open, asked for in one message with the flags to copy: intents, and what the classes in it mean."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from adjudicate.core.items import RowDraft, VerdictDraft
from adjudicate.core.policy import Policy
from adjudicate.core.text import shortened, visible_line
from adjudicate.formats.import_options import JUDGE_FAILED, ImportOptions, Outcomes
from adjudicate.formats.open_questions import Question, about_classes, about_prompts
from adjudicate.formats.unsaid import OpenClasses, Unsaid

SHOWN_CLASSES = 8
SHOWN_LENGTH = 40
WORD = 12
"""Characters of the longest word that may be a class although it occurs once."""
RARE = 0.1
"""Share of a judge's verdicts below which a text that occurs once is the judge's failure and not a class."""


@dataclass(slots=True)
class JudgesMet:
    """What the judges of one file said that is no outcome of the policy, and was not said to be a failure."""

    outcomes: Outcomes
    classes: dict[str, OpenClasses] = field(default_factory=dict)
    """By judge."""

    def note(self, verdict: VerdictDraft, intent: str) -> None:
        """Count a verdict without an outcome."""
        if verdict.raw and not self.outcomes.fails(verdict.raw, intent):
            self.classes.setdefault(verdict.judge, OpenClasses()).take(verdict.raw)

    def with_unsaid(self, unsaid: Unsaid) -> dict[str, OpenClasses]:
        """The classes by judge, with those of rows that were left out for what they leave open."""
        found = {judge: OpenClasses() for judge in (*self.classes, *unsaid.verdicts)}
        for judge, of_judge in found.items():
            for each in (self.classes, unsaid.verdicts):
                if judge in each:
                    of_judge.add(each[judge])
        return found

    def shown(self) -> dict[str, dict[str, int]]:
        """The most frequent classes by judge, safe to print."""
        return {judge: _shown(each.texts + each.numbers) for judge, each in self.classes.items()}


def asked(
    met: JudgesMet, judged: Mapping[str, int], unsaid: Unsaid, options: ImportOptions, *, rows: bool, classes_are_known: bool
) -> list[str]:
    """Questions that only the user can answer, each with its flags.

    Args:
        met: Classes of the judges.
        judged: Verdicts with an outcome, by judge.
        unsaid: What rows left open.
        options: What the user said.
        rows: Whether some row could be read: then one without an intent or label is left out, and nothing is asked about it
            unless the file is refused for what its judges say.
        classes_are_known: Whether the judges' classes are known beforehand, so that any other text is none.
    """
    verdicts = [
        f"which outcome the verdicts of {visible_line(judge)} are: {_with_flags(still_open)}"
        for judge, still_open in _open_by_judge(met, judged, unsaid, classes_are_known=classes_are_known)
    ]
    if rows and not verdicts:
        return []
    labels = [
        f"which outcome the classes of {visible_line(name)} are: {_with_flags(each)}"
        for name, each in unsaid.classes.items()
        if each.texts or each.numbers
    ]
    return [*_about_prompts(unsaid, options), *verdicts, *labels]


def to_answer(met: JudgesMet, judged: Mapping[str, int], unsaid: Unsaid, *, classes_are_known: bool) -> Iterator[Question]:
    """The same questions one by one, for a file that `asked` asks about; arguments as there."""
    yield from about_prompts(unsaid)
    for judge, still_open in _open_by_judge(met, judged, unsaid, classes_are_known=classes_are_known):
        yield from about_classes(f"verdicts of {judge}", still_open)
    for name, each in unsaid.classes.items():
        yield from about_classes(f"classes of {name}", each)


def _open_by_judge(
    met: JudgesMet, judged: Mapping[str, int], unsaid: Unsaid, *, classes_are_known: bool
) -> Iterator[tuple[str, OpenClasses]]:
    for judge, classes in met.with_unsaid(unsaid).items():
        still_open = open_classes(classes, judged.get(judge, 0) + unsaid.judged[judge], classes_are_known=classes_are_known)
        if still_open is not None:
            yield judge, still_open


def open_classes(classes: OpenClasses, judged: int, *, classes_are_known: bool) -> OpenClasses | None:
    """The classes of a judge that have to be asked for; None where all are failures of the judge.

    A class is what comes back, or makes up a tenth or more of the verdicts, or is a number or one short word, as classes are: a
    single I among a thousand C is one. A longer text that occurs once, such as the judge's own refusal, is none, nor are short
    ones of which there are many, unless the judge has said nothing else.
    """
    of_all = judged + classes.texts.total() + classes.number_count
    rare = {raw for raw, count in classes.texts.items() if count == 1 and count < RARE * of_all}
    words = {raw for raw in rare if len(raw) <= WORD and not re.search(r"\s", raw)}
    failures = rare - words if len(words) <= SHOWN_CLASSES else rare

    def is_class(raw: str) -> bool:
        return not judged or not (classes_are_known or raw in failures)

    found = OpenClasses(Counter({raw: count for raw, count in classes.texts.items() if is_class(raw)}))
    if classes.number_count and not (judged and classes_are_known):
        found.numbers, found.number_count = classes.numbers, classes.number_count
        found.low, found.high = classes.low, classes.high
    return found if found.texts or found.numbers else None


def told_questions(file: str, lines: list[str]) -> str:
    """The questions about one file."""
    return "\n".join([f"{file}: the file does not say", *[f"  {line}" for line in lines]])


def outcomes_to_choose(policy: Policy) -> str:
    """What stands for OUTCOME in the flags."""
    known = ", ".join(outcome.id for outcome in policy.outcomes)
    return (
        f"OUTCOME is one of {visible_line(known)}; or {JUDGE_FAILED}, where the judge gave no verdict."
        " What depends on the prompt is said by intent: --outcome harmful:CLASS=OUTCOME"
    )


def _about_prompts(unsaid: Unsaid, options: ImportOptions) -> Iterator[str]:
    if unsaid.without_intent and "intent" not in options.columns:
        count = f"{unsaid.without_intent:,} rows" if unsaid.without_intent > 1 else "1 row"
        yield (
            f"whether its prompts are benign or harmful ({count}): --set intent=benign (or harmful, dual_use) for all of them,"
            " or --map intent=COLUMN for the column that says it"
        )
    if unsaid.intents:
        flags = [f"--set {shlex.quote(f'intent.{shortened(raw, SHOWN_LENGTH)}=INTENT')}" for raw, _ in _most(unsaid.intents)]
        known = "INTENT is benign, harmful or dual_use"
        yield f"which intent its prompts have: {_counted(unsaid.intents)}: {' '.join(flags)}; {known}"


def _with_flags(classes: OpenClasses) -> str:
    listed = classes.texts + classes.numbers
    if len(classes.numbers) > SHOWN_CLASSES:
        between = f"{classes.number_count:,} numbers from {classes.low:g} to {classes.high:g}"
        ranges = "--outcome 0.5..=OUTCOME --outcome ..0.5=OUTCOME, with bounds of your own"
        texts = f"; {_counted(classes.texts)}: {_flags(classes.texts)}" if classes.texts else ""
        return f"{between}: {ranges}{texts}"
    return f"{_counted(listed)}: {_flags(listed)}"


def _flags(classes: Counter[str]) -> str:
    return " ".join(f"--outcome {shlex.quote(f'{shortened(raw, SHOWN_LENGTH)}=OUTCOME')}" for raw, _ in _most(classes))


def _counted(classes: Counter[str]) -> str:
    more = f" and {len(classes) - SHOWN_CLASSES:,} more" if len(classes) > SHOWN_CLASSES else ""
    return classes_shown(dict(_most(classes))) + more


def _most(classes: Counter[str]) -> list[tuple[str, int]]:
    return classes.most_common(SHOWN_CLASSES)


def _shown(classes: Counter[str]) -> dict[str, int]:
    return {shortened(raw, SHOWN_LENGTH): count for raw, count in _most(classes)}


def classes_shown(classes: Mapping[str, int]) -> str:
    """Classes of a file with how often each occurs."""
    return ", ".join(f"'{shortened(raw, SHOWN_LENGTH)}' ({count:,})" for raw, count in classes.items()) or "empty"


def drafts_of(unsaid: Unsaid, first: list[RowDraft], most: int) -> list[RowDraft]:
    """The first rows of a file, those that leave something open among them."""
    return sorted([*first, *unsaid.rows], key=lambda row: row.line)[:most]
