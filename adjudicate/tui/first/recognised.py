"""The second step: what was recognised in the log, and all that only a person can say of it, row by row."""

from __future__ import annotations

from collections.abc import Sequence

from adjudicate.core.policy import INTENTS, Policy
from adjudicate.core.text import shortened, visible_line
from adjudicate.errors import InputError
from adjudicate.formats.import_options import JUDGE_FAILED, ImportOptions
from adjudicate.formats.open_questions import Question
from adjudicate.tui.first.plan import Plan
from adjudicate.tui.first.step import Choice, Row, Typed, commands, offered
from adjudicate.tui.theme import DONE, HARM
from adjudicate.tui.widgets.cells import fitted, padded, widest
from adjudicate.tui.widgets.line_view import Look, Paragraph
from adjudicate.workflow.first_look import Look as FirstLook
from adjudicate.workflow.import_report import told_problems

TABLES = frozenset({"csv", "json", "jsonl", "parquet"})
"""Formats whose columns a person may name."""
FIELDS = (
    "prompt",
    "response",
    "verdict",
    "intent",
    "model",
    "population",
    "category",
    "language",
    "pair",
    "reason",
    "id",
    "gold",
)
"""In the order of the list; others follow."""
MOST_CHOICES = 9
MOST_PROBLEMS = 5
"""Of a file, before the others are counted."""
FAILED_DIGIT = 0
NAME, MOST_NAME, WORDS = 12, 24, 46
"""Cells."""


class RecognisedStep:
    """Fields of the log with where they stand, then what it does not say."""

    title = "what was read"
    hint = "digit answers · {first.take_back} takes back · {first.type} types · {first.go_on} goes on"

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.asked: dict[tuple[str, str], Question] = {}
        """All that was asked so far, answered or not."""

    # What is known

    @property
    def look(self) -> FirstLook:
        """The last look at the log."""
        found = self.plan.look
        assert found is not None
        return found

    def seen(self, found: FirstLook) -> None:
        """Take in another look."""
        self.plan.look = found
        # A column that was named stands among the fields from now on.
        answered = {key: each for key, each in self.asked.items() if self.answer(each) and each.key not in self._taken}
        self.asked = answered | {(each.option, each.key): each for each in found.questions}

    def answer(self, question: Question) -> str:
        """What was said; empty where nothing was."""
        options = ("map", "set") if question.option in ("map", "set") else (question.option,)
        said: list[str] = [self.plan.stated.get(option, {}).get(question.key, "") for option in options]
        return next(filter(None, said), "")

    @property
    def open(self) -> list[int]:
        """Rows of questions without an answer."""
        fields = len(self._fields)
        return [fields + place for place, each in enumerate(self.asked.values()) if not self.answer(each)]

    @property
    def _taken(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for file in self.look.report.files:
            for name, where in file.taken.items():
                found.setdefault(name, where)
        return found

    @property
    def _can_be_mapped(self) -> bool:
        formats = {file.format for file in self.look.report.files}
        return bool(formats) and formats <= TABLES

    @property
    def _columns(self) -> list[str]:
        """Columns that nothing was taken from."""
        return list(dict.fromkeys(name for file in self.look.report.files for name in file.not_read))

    @property
    def _fields(self) -> list[str]:
        taken = self._taken
        if not taken:
            return []
        named = [name for name in taken if name not in FIELDS]
        lacking = ("prompt", "response", "verdict", "intent", "model") if self._can_be_mapped else ()
        judged = any(name.startswith("verdict.") for name in taken)
        known = [name for name in FIELDS if name in taken or (name in lacking and not (name == "verdict" and judged))]
        asked = {key for _, key in self.asked}
        return [name for name in (*known, *named) if name not in asked or name in taken]

    def another_policy_may_know(self, rows: Sequence[int]) -> bool:
        """Whether all these rows ask for outcomes, which another policy may have under the names of the log."""
        questions = [self._question(row) for row in rows]
        return all(question is not None and question.answers == "outcome" for question in questions)

    def row_of(self, name: str) -> int:
        """The row of a field; the first where it has none."""
        return self._fields.index(name) if name in self._fields else 0

    @property
    def lacks_verdicts(self) -> bool:
        """Whether no judge was found in a log that can be read."""
        files = self.look.report.files
        return (
            bool(files)
            and not any(name.partition(".")[0] == "verdict" for name in self._taken)
            and not any(file.verdicts or file.judge_failed for file in files)
        )

    # The list

    def rows(self, width: int) -> Sequence[Row]:
        """Fields, then questions."""
        fields = self._fields
        rows = [Row("TAKEN FROM THE LOG", "heading", can_be_chosen=False)] if fields else []
        taken = self._taken
        wide = max(NAME, widest(fields, MOST_NAME))
        rows += [
            Row(
                shortened(f"{fitted(name, wide)}  {_where(taken.get(name, ''))}", width - 2),
                "" if name in taken else _missing(name),
            )
            for name in fields
        ]
        if self.asked:
            count = len(self.open)
            state = f"{count} open" if count else f"all said {DONE}"
            rows += [Row("", can_be_chosen=False)] if rows else []
            rows.append(Row(f"WHAT THE LOG DOES NOT SAY · {state}", "heading", can_be_chosen=False))
        words = max(min(WORDS, width - 26), 20)
        for question in self.asked.values():
            times = f" ({question.count:,})" if question.count else ""
            said = self.answer(question)
            told = fitted(question.about, widest([question.about], words - len(times))) + times
            rows.append(Row(f"{padded(told, words)}  {shortened(said, 22) if said else '?'}", "done" if said else "strong"))
        return rows or [Row("nothing could be read", "harm", can_be_chosen=False)]

    def beside(self, at: int) -> tuple[str, list[Paragraph]]:
        """What the digits do here, what was read, three items, and the command."""
        found = self.look
        rows = offered(self.choices(at), self.asks(at))
        if found.problem:
            rows += [Paragraph(f"{HARM} {line}", "harm") for line in found.problem.split("\n")[:1]]
            rows += [Paragraph(line) for line in found.problem.split("\n")[1:]]
            rows.append(
                Paragraph(
                    "{first.back} goes back to the list of logs; {first.flags} types flags that say how to read it.",
                    "dim",
                    told=True,
                )
            )
        # Files of the folder are known by their names: the way to them would fill the pane.
        here = f"{visible_line(str(self.plan.folder))}/"
        rows += [
            Paragraph(f"{HARM} {line.removeprefix(here)}", "differs")
            for file in found.report.files
            for line in told_problems(file, MOST_PROBLEMS)
        ]
        lines = found.report.as_text() if found.report.files else []
        rows += [_report_line(line.removeprefix(here)) for line in lines]
        policy = found.policy
        rows += [
            Paragraph(""),
            Paragraph(f"Outcomes are those of the policy {policy.id} {policy.version}; the next step may change it.", "dim"),
        ]
        return "What was recognised", [*rows, *commands(self.plan.commands(2))]

    def asks(self, at: int) -> str:
        """The question of a row."""
        question = self._question(at)
        if question is None:
            name = self._field(at)
            return f"{name}: where does it stand?" if name else ""
        what = {"intent": "What are these prompts?", "outcome": "Which outcome is it?", "column": "Which column is it?"}
        return f"{question.about}{f' ({question.count:,} rows)' if question.count else ''}. {what[question.answers]}"

    def _field(self, at: int) -> str:
        fields = self._fields
        return fields[at] if at < len(fields) else ""

    def _question(self, at: int) -> Question | None:
        place = at - len(self._fields)
        asked = list(self.asked.values())
        return asked[place] if 0 <= place < len(asked) else None

    # Answers

    def choices(self, at: int) -> Sequence[Choice]:
        """What the digits say in a row."""
        return [Choice(digit, words) for digit, words, _, _ in self._answers(at)]

    def choose(self, at: int, digit: int) -> None:
        """Say it."""
        for number, _, option, value in self._answers(at):
            if number == digit:
                self._say(at, option, value)

    def _say(self, at: int, option: str, value: str) -> None:
        question = self._question(at)
        name = question.key if question is not None else self._field(at)
        self.plan.unsay("set" if option == "map" else "map", name)
        self.plan.say(option, name, value)

    def take_back(self, at: int) -> None:
        """Forget what was said in a row."""
        question = self._question(at)
        name = question.key if question is not None else self._field(at)
        for option in ("outcome",) if question is not None and question.option == "outcome" else ("map", "set"):
            self.plan.unsay(option, name)

    def _answers(self, at: int) -> list[tuple[int, str, str, str]]:
        """Digit, words, option and value of each choice."""
        question = self._question(at)
        if question is None:
            return self._field_answers(self._field(at))
        if question.answers == "outcome":
            return _outcomes(self.look.policy, question.option)
        if question.answers == "column":
            return _numbered([(name, "map", name) for name in question.columns])
        intents = [(intent, "set", intent) for intent in INTENTS]
        columns = [(f"column {name} says it", "map", name) for name in self._columns] if question.key == "intent" else []
        return _numbered([*intents, *columns])

    def _field_answers(self, name: str) -> list[tuple[int, str, str, str]]:
        if not name or not self._can_be_mapped:
            return []
        intents = [(f"{intent}, all of them", "set", intent) for intent in INTENTS] if name == "intent" else []
        return _numbered([*intents, *((f"column {column}", "map", column) for column in self._columns)])

    def typed(self, at: int) -> Typed:
        """A column for a field or question."""
        if (question := self._question(at)) is not None and question.answers == "outcome":
            return Typed(f"outcome that {shortened(question.key, 30)} is", self.answer(question))
        return Typed("name of the column, or =VALUE for all rows", "")

    def take(self, at: int, text: str) -> None:
        """Take a column, an outcome, or a value for all rows."""
        question = self._question(at)
        if question is None and not self._field(at):
            raise InputError("choose a row first: what is typed belongs to it; f types flags")
        if question is not None and question.option == "outcome":
            known = [outcome.id for outcome in self.look.policy.outcomes]
            if text not in (*known, JUDGE_FAILED):
                raise InputError(f"{shortened(text, 40)}: the policy has {', '.join(known)}; or {JUDGE_FAILED}")
            self._say(at, "outcome", text)
            return
        name = question.key if question is not None else self._field(at)
        option, value = ("set", text[1:]) if text.startswith("=") else ("map", text)
        ImportOptions.of({option: {name: value}})
        self._say(at, option, value)


def _missing(name: str) -> Look:
    """Without verdicts there is no judge to check, which somebody should notice."""
    return "differs" if name == "verdict" else "dim"


def _numbered(answers: Sequence[tuple[str, str, str]]) -> list[tuple[int, str, str, str]]:
    return [(digit, *answer) for digit, answer in enumerate(answers[:MOST_CHOICES], start=1)]


def _outcomes(policy: Policy, option: str) -> list[tuple[int, str, str, str]]:
    """Outcomes under the digits that they have while labelling."""
    found = [(int(each.key), each.title, option, each.id) for each in policy.outcomes if each.key.isdecimal()]
    return [*found, (FAILED_DIGIT, "no verdict: the judge failed", option, JUDGE_FAILED)]


def _where(where: str) -> str:
    if not where:
        return "not found"
    return where if where.startswith(("--", "'")) else f"from {shortened(where, 40)}"


def _report_line(line: str) -> Paragraph:
    """Lines of the report as the command line prints them."""
    indented = line.startswith("  ")
    return Paragraph(line.strip(), "" if indented else "strong", "  " if indented else "")
