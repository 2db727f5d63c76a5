"""Labelling in plain lines: the session of the labelling screen, told and asked line by line.

For screen readers, and for terminals that cannot redraw. Every act is saved before the next line is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from adjudicate.cli import linear_words as words
from adjudicate.cli.linear_commands import help_lines, outcome_keys, typed_keys
from adjudicate.cli.linear_lines import PlainLines
from adjudicate.cli.linear_note import write_note
from adjudicate.cli.linear_policy import clause_named, search_policy, tell_policy
from adjudicate.core.grades import keyed_grades
from adjudicate.core.policy import INTENTS
from adjudicate.core.text import shortened
from adjudicate.errors import AdjudicateError, LabelRefused
from adjudicate.settings import LabelSettings
from adjudicate.tui.quiet_line import parts
from adjudicate.workflow.interval_widths import Standing
from adjudicate.workflow.item_view import ItemView
from adjudicate.workflow.label_items import LabellingSession
from adjudicate.workflow.sitting import Sitting
from adjudicate.workflow.veil import is_veiled

PART_ROWS = 100
"""Rows of an item that are said at once; the rest waits for `more`."""
HASTY = "That came before the question could be read. Nothing was done."


class LinearLabelling:
    """One person going through their list by lines."""

    def __init__(
        self,
        lines: PlainLines,
        session: LabellingSession,
        sitting: Sitting,
        settings: LabelSettings,
        keymap: Mapping[str, str] | None = None,
        *,
        measure: Callable[[], Standing | None],
    ) -> None:
        """Take a session.

        Args:
            lines: The terminal.
            session: What decides.
            sitting: Keeps the time.
            settings: When a break is due, and what is veiled.
            keymap: The person's own keys, command id to Textual's names.
            measure: How far the numbers are; slow.
        """
        self.lines, self.session, self.sitting, self.settings = lines, session, sitting, settings
        self._measure = measure
        self._rows: list[str] = []
        self._at = self._response_at = 0
        self._lifted: tuple[str, int] | None = None
        self._shown: tuple[str, int] | None = None
        self._told: tuple[str, str] = ("", "")
        self._break_told = 0.0
        self._acts: dict[str, Callable[[str], None]] = {
            "keep": lambda _: self._do(self.session.keep),
            "confirm": lambda _: self._label(self.session.confirm),
            "undo": self._undo,
            "skip": lambda _: self._do(self.session.skip),
            "undecided": lambda _: self._do(self.session.undecided),
            "flag": lambda _: self._do(self.session.flag),
            "note": self._note,
            "low": self._low,
            "intent": self._intent,
            "policy": self._policy,
            "cite": self._cite,
            "search": lambda rest: search_policy(self.lines, self.session.policy, rest),
            "next": lambda _: self._do(self.session.next),
            "previous": lambda _: self._do(self.session.previous),
            "more": lambda _: self._part(),
            "again": lambda _: self._from(0),
            "response": lambda _: self._from(self._response_at),
            "lift": self._lift,
            "status": lambda _: self.lines.say(self._status()),
            "help": lambda _: self.lines.say(*help_lines(self._keys)),
        }
        self._keys, self._digits = typed_keys(keymap or {}), outcome_keys(keymap or {})

    def run(self) -> None:
        """Until the person leaves or the terminal is gone."""
        self._follow()
        while (line := self.lines.ask("Outcome or command:", hasty=HASTY)) is not None:
            first, _, rest = line.strip().partition(" ")
            if first.startswith("/") and len(first) > 1:
                first, rest = "/", f"{first[1:]} {rest}".strip()
            word = self._keys.get(first, first.casefold())
            if word in ("quit", "q"):
                break
            if first in self._digits and not rest:
                self._digit(self._digits[first])
            elif not first:
                self._acts["keep"]("")
            elif word in self._acts:
                self._acts[word](rest.strip())
            else:
                self.lines.say(f"{shortened(line, 40)}: no outcome and no command. Nothing was done. Type ? for the commands.")

    # Acts

    def _do(self, act: Callable[[], object]) -> None:
        """One act: saved when it returns, told after that."""
        before = self.session.last
        try:
            act()
        except LabelRefused as refusal:
            self.lines.say(f"Nothing was done: {refusal}.")
        except AdjudicateError as problem:
            self.session.unsaved = None
            self.lines.say(f"Not saved: {problem}. The item stays; type it again.")
        else:
            last = self.session.last
            self.sitting.acted(last)
            if last is not None and last is not before:
                self.lines.say(words.act(self.session.policy, last))
            self._follow()

    def _label(self, act: Callable[[], object]) -> None:
        """An act that labels: never of a response that was not heard."""
        view = self.session.view
        if view is not None and self._veiled(view):
            self.lines.say("The response lies behind the veil: type lift to hear it, s to leave it. Nothing is labelled unread.")
        else:
            self._do(act)

    def _digit(self, digit: str) -> None:
        outcome = self.session.policy.outcome_for_key(digit)
        if outcome is None:
            self.lines.say(f"{digit} is no outcome of this policy. Nothing was done.")
        else:
            self._label(lambda: self._choose(outcome.id))

    def _choose(self, outcome: str) -> None:
        """Choose an outcome, and ask for its severity where it has one."""
        session = self.session
        if session.choose(outcome) != "severity":
            return
        defined, graded = session.policy.outcome(outcome), keyed_grades(session.policy)
        while defined is not None:
            self.lines.say(words.grades(session.policy, defined))
            answer = self.lines.ask("Severity:", hasty=HASTY)
            if not answer:
                session.cancel()
                self.lines.say("Stepped back; nothing was saved.")
                return
            if answer.strip() in graded:
                session.grade(graded[answer.strip()].id)
                return
            self.lines.say(f"{shortened(answer, 40)} is no severity.")

    def _undo(self, _rest: str) -> None:
        if self.session.last_act() is None:
            self.lines.say("There is nothing of yours to undo.")
        else:
            self._shown = None
            self._do(self.session.undo)

    def _low(self, _rest: str) -> None:
        self._do(self.session.toggle_low_confidence)
        self.lines.say(f"Low confidence: {'yes' if self.session.low_confidence else 'no'}.")

    def _intent(self, rest: str) -> None:
        view = self._view()
        if view is None:
            return
        question = f"Declared {view.item.prompt.intent}. {', '.join(INTENTS)}, or an empty line to step back:"
        wanted = (rest or self.lines.ask(question) or "").strip().casefold().replace(" ", "_")
        if not wanted:
            self.lines.say("Stepped back; nothing was saved.")
        elif wanted not in INTENTS:
            self.lines.say(f"{shortened(wanted, 40)} is no intent. Nothing was done.")
        else:
            self._do(lambda: self.session.contest(wanted))

    def _note(self, rest: str) -> None:
        view = self._view()
        if view is None:
            return
        text = write_note(self.lines, self.session.draft() or view.own.note, rest, keep=self.session.keep_draft)
        if text is not None:
            self._do(lambda: self.session.note(text))

    # The policy

    def _policy(self, rest: str) -> None:
        view = self.session.view
        tell_policy(self.lines, self.session.policy, view.clauses if view is not None else (), rest)

    def _cite(self, rest: str) -> None:
        clause = clause_named(self.session.policy, rest)
        if clause is None:
            self.lines.say("Type cite and the id of a clause, such as the ones that p names.")
            return
        cited = None if clause.id == self.session.clause else clause.id
        self._do(lambda: self.session.cite(cited))
        self.lines.say(f"Cited: {self.session.clause}." if self.session.clause else "No clause is cited.")

    # Telling

    def _follow(self) -> None:
        """Say where the session is now: the item where it is another one, else what its verdict is."""
        view = self.session.view
        shown = (view.pick.item_id, view.pick.round) if view is not None else None
        if view is None:
            self.lines.say(words.end(self.session))
        elif shown != self._shown:
            self._break()
            self._announce(view)
        elif self._told != _standing(view):
            self._verdict(view)
        self._shown = shown

    def _announce(self, view: ItemView) -> None:
        self.lines.say("", *words.opening(view, self.session.number, self.session.progress.total))
        if view.own.label is not None:
            self.lines.say(f"Your label: {words.label(self.session.policy, view.own.label)}.")
        if view.own.note:
            self.lines.say("Your note:")
            self.lines.pass_on(self.lines.set_in(view.own.note))
        messages, rows = view.item.prompt.messages, list[str]()
        for number, message in enumerate(messages, start=1):
            rows.append(words.turn_heading(message, number, len(messages)))
            rows += self.lines.set_in(message.content)
        self._response_at = len(rows)
        if self._veiled(view):
            rows.append("The response lies behind the veil of this workspace. Type lift to hear it, s to leave it.")
        else:
            rows.append(words.response_heading(view.item))
            rows += self.lines.set_in(view.item.response) if view.item.response.strip() else []
        self._rows = rows
        self._from(0)

    def _from(self, row: int) -> None:
        self._at = row
        self._part()

    def _part(self) -> None:
        """The next part of the item, then what can be decided."""
        view = self.session.view
        if view is None:
            self._follow()
            return
        if self._at >= len(self._rows):
            self.lines.say("There is no more of this item; type again for its beginning.")
            return
        self.lines.pass_on(self._rows[self._at : self._at + PART_ROWS])
        self._at += PART_ROWS
        if self._at < len(self._rows):
            self.lines.say(f"{len(self._rows) - self._at:,} more lines; type m for more, or decide.")
        else:
            self.lines.say("End of the item.")
        self.lines.say(words.outcomes(self.session.policy), words.clauses(view.clauses))
        self._verdict(view)

    def _verdict(self, view: ItemView) -> None:
        self._told = _standing(view)
        self.lines.say(*words.verdict(self.session.policy, view))
        if view.mode != "blind" and view.verdict is not None and view.verdict.reason.strip():
            self.lines.say("Its reason:")
            self.lines.pass_on(self.lines.set_in(view.verdict.reason))
        if numbers := words.scores(view):
            self.lines.say(numbers)

    def _lift(self, _rest: str) -> None:
        view = self._view()
        if view is not None and self._veiled(view):
            self._lifted, self._shown = (view.pick.item_id, view.pick.round), None
            self._follow()
        elif view is not None:
            self.lines.say("There is no veil on this response.")

    def _veiled(self, view: ItemView) -> bool:
        return is_veiled(self.settings.veil, view.item.prompt) and self._lifted != (view.pick.item_id, view.pick.round)

    def _view(self) -> ItemView | None:
        if self.session.view is None:
            self.lines.say("There is no item here.")
        return self.session.view

    def _break(self) -> None:
        """Suggest a break when one is due, and not again before as much work once more."""
        due = self.settings.break_minutes * 60
        spell = self.sitting.spell
        if spell < self._break_told:
            self._break_told = 0.0
        if due and spell - self._break_told >= due:
            self._break_told = spell
            self.lines.say(f"{spell / 60:.0f} minutes without a break: a short one keeps labels even.")

    def _status(self) -> str:
        standing, view = self._measure(), self.session.view
        if standing is not None:
            self.sitting.measured_today(standing.today)
        said = parts(
            left=self.session.progress.left,
            pace=self.session.pace,
            sitting=self.sitting,
            break_minutes=self.settings.break_minutes,
            standing=standing,
            population=view.item.prompt.population if view is not None else "",
        )
        return f"{', '.join(part.words for part in said)}."


def _standing(view: ItemView) -> tuple[str, str]:
    """What decides whether there is something new to say of the verdict."""
    return view.mode, view.own.label.id if view.own.label is not None else ""
