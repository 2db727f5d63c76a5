"""What a file leaves open, one question at a time: which option of the import answers it, and what can be answered.

The same questions are told in words with flags on the command line; here they are for a screen that asks them row by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from adjudicate.errors import InputError
from adjudicate.formats.import_options import INTENT_OF
from adjudicate.formats.unsaid import OpenClasses, Unsaid

Option = Literal["map", "set", "outcome"]
"""The option of `import` that an answer belongs to."""
MOST_CLASSES = 8
"""Different numbers from which on ranges are asked for in place of each of them."""
USUAL_BOUND = 0.5


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that only the user can say."""

    option: Option
    key: str
    """What stands before ``=``: a field, ``intent.CLASS``, or a class of the file as it writes it."""
    about: str
    """What is asked, in words; foreign text in it is as the file has it."""
    count: int = 0
    """Rows that it concerns; 0 where nobody counted."""
    answers: Literal["intent", "outcome", "column"] = "outcome"
    columns: tuple[str, ...] = ()
    """What a column can be chosen from."""


class AskedFor(InputError):
    """A file that leaves something open, with the questions."""

    def __init__(self, message: str, questions: Iterable[Question]) -> None:
        super().__init__(message)
        self.questions = tuple(questions)


def about_prompts(unsaid: Unsaid) -> Iterator[Question]:
    """What the rows do not say about their prompts."""
    if unsaid.without_intent:
        yield Question("set", "intent", "intent of the prompts", unsaid.without_intent, "intent")
    for raw, count in unsaid.intents.most_common():
        yield Question("set", f"{INTENT_OF}{raw}", f"intent '{raw}'", count, "intent")


def about_classes(whose: str, classes: OpenClasses) -> Iterator[Question]:
    """Which outcome each class is; of many numbers, those above a bound and those below it.

    Args:
        whose: ``verdicts of gpt4``, for example.
        classes: Those that are open.
    """
    for raw, count in classes.texts.most_common():
        yield Question("outcome", raw, f"'{raw}' · {whose}", count)
    if len(classes.numbers) > MOST_CLASSES:
        bound = USUAL_BOUND if classes.low < USUAL_BOUND <= classes.high else (classes.low + classes.high) / 2
        yield Question("outcome", f"{bound:g}..", f"{bound:g} to {classes.high:g} · {whose}", classes.number_count)
        yield Question("outcome", f"..{bound:g}", f"{classes.low:g} to below {bound:g} · {whose}", classes.number_count)
        return
    for raw, count in classes.numbers.most_common():
        yield Question("outcome", raw, f"'{raw}' · {whose}", count)


def about_counted(whose: str, classes: Mapping[str, int], means: Mapping[str, str]) -> Iterator[Question]:
    """Which outcome each counted class is, with what its data set says of it."""
    counted = OpenClasses()
    for raw, count in classes.items():
        counted.take(raw, count)
    for question in about_classes(whose, counted):
        said = means.get(question.key, "")
        yield Question("outcome", question.key, f"{question.about}{f' ({said})' if said else ''}", question.count)
