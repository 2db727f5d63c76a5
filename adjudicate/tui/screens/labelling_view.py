"""How the labelling screen shows its session: which words go into which pane. Reads the session, changes nothing in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content

from adjudicate.core.labels import Event
from adjudicate.core.policy import Clause, Policy
from adjudicate.core.text import shortened, visible_line
from adjudicate.tui import quiet_line
from adjudicate.tui.theme import DONE, HARM, OWN
from adjudicate.tui.widgets import item_text
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.tui.widgets.outcome_list import grade_meanings, grade_rows, outcome_line, outcome_rows, severity_words
from adjudicate.tui.widgets.policy_text import reflowed
from adjudicate.tui.widgets.status_line import SidedLine, styled
from adjudicate.tui.widgets.verdict_pane import verdict_line, verdict_rows
from adjudicate.workflow.interval_widths import Standing
from adjudicate.workflow.item_view import ItemView
from adjudicate.workflow.veil import is_veiled

if TYPE_CHECKING:
    from adjudicate.tui.screens.labelling import LabellingScreen
    from adjudicate.workflow.label_items import LabellingSession

MARKS = {
    "saved": (f"saved {DONE}", "$done"),
    "saving": ("saving …", "$differs bold"),
    "not saved": (f"{HARM} not saved", "$harm bold"),
}
IN_NO_RATE = quiet_line.Part("in no rate", 8)
ACTS = {
    "skip": "skipped",
    "undecided": "cannot decide",
    "flag": "flag",
    "note": "note saved",
    "contest": "intent contested",
    "undo": "taken back",
}


class End(NamedTuple):
    """What is said where there is no item."""

    empty: str
    begin: str
    done: str
    more: str


END = {
    False: End(
        "Nothing is on your list yet.",
        "Draw a sample that people label: {go.draw} on the home screen, or  adjudicate draw --n 200",
        "All {} items on your list are done.",
        "To label more:  adjudicate draw --n N  with a larger N.",
    ),
    True: End(
        "Nothing is in triage for you.",
        "Send items there from the list of all items: {go.browse} on the home screen, then {triage.send}."
        " What a sample gives you stays on your list.",
        "All {} items of the triage queue are done.",
        "To look at more:  {triage.send} in the list of all items sends them here.",
    ),
}
"""By whether it is triage."""


class LabellingView:
    """The words on the labelling screen."""

    def __init__(self, screen: LabellingScreen) -> None:
        self.screen = screen
        self.standing: Standing | None = None
        """What was measured in the background; None before that."""
        self._mark = "saved"
        self._message: tuple[str, str] | None = None
        self._shown: tuple[str, int] | None = None
        self.folded = True
        """Whether system and tool turns take one line; as the person left it, also for the next item."""
        self.veiled = False
        """Whether the response is behind the veil."""
        self._lifted: set[str] = set()
        """Items whose veil was lifted in this window."""

    def show_item(self) -> bool:
        """Show what the session holds now; whether that is another item than before."""
        session = self.screen.session
        self._mark, self._message = "saved", None
        view = session.view
        shown = (view.pick.item_id, view.pick.round) if view is not None else ("", session.progress.done)
        is_new = shown != self._shown
        self._shown = shown
        if view is None:
            self.veiled = False
            self._show_end()
        else:
            if is_new:
                self._show_text(view)
            self._show_sides(view)
        self.show_lines()
        return is_new

    def refuse(self, words: str) -> None:
        """Say why a key did nothing."""
        self._message = (f"{HARM} {self.screen.keyed(words)}", "$differs bold")
        self.show_lines()

    def say(self, words: str) -> None:
        """Say what is going on."""
        self._message = (self.screen.keyed(words), "$quiet")
        self.show_lines()

    def saving(self) -> None:
        """Someone else is writing; the item stays until this is saved."""
        self._mark, self._message = "saving", ("someone else is writing: saving as soon as they are done", "$differs")
        self.show_lines()

    def not_saved(self, reason: str) -> None:
        """It could not be saved; the item stays."""
        self._mark = "not saved"
        self.refuse(f"not saved: {reason}")

    def show_lines(self) -> None:
        """The status line above and the last act below."""
        self._line("status").show(self._where(), self._who())
        line, last = self._line("last"), self._last()
        # The line pads a cell on either side, and keeps two between its sides.
        line.show(self._quiet(self.screen.size.width - last.cell_length - 4), last, keeps_left=self._message is not None)

    # Panes

    def _show_text(self, view: ItemView) -> None:
        self._show_prompt(view)
        item = view.item
        self.veiled = item.id not in self._lifted and is_veiled(self.screen.bench.settings.veil, item.prompt)
        text = item_text.veiled(item.prompt) if self.veiled else item_text.response(item)
        self.screen.pane("response").show(text, title=item_text.response_title(item))

    def _show_prompt(self, view: ItemView) -> None:
        prompt = view.item.prompt
        start = item_text.last_turn(prompt, folded=self.folded)
        pane = self.screen.pane("prompt")
        pane.hint = item_text.prompt_keys(prompt, folded=self.folded)
        facts = " · ".join(item_text.prompt_facts(prompt))
        pane.show(item_text.turns(prompt, folded=self.folded), title="Prompt", more=facts, start=start)

    def fold(self, view: ItemView, *, folded: bool) -> None:
        """Fold the system and tool turns, or unfold them and begin at the first one."""
        self.folded = folded
        self._show_prompt(view)
        if not folded:
            self.screen.pane("prompt").start_at(0)

    def lift_veil(self, view: ItemView) -> None:
        """Show the response, for as long as this window is open."""
        self._lifted.add(view.item.id)
        self._message = None
        self._show_text(view)
        self.show_lines()

    def _show_sides(self, view: ItemView) -> None:
        screen, session = self.screen, self.screen.session
        policy = session.policy
        waiting = policy.outcome(session.severe) if session.severe else None
        own = view.own.label
        decide = screen.pane("decide")
        if waiting is not None:
            decide.show(grade_rows(policy, waiting), title="Decide · severity")
        else:
            decide.show(outcome_rows(policy, own), title=_decide_title(session, own))
        screen.pane("outcome-line").show([outcome_line(policy, own, waiting)])
        clauses = screen.pane("clauses")
        if waiting is not None:
            clauses.show(grade_meanings(policy), title="What the grades mean")
        else:
            clauses.show(_clause_rows(view.clauses, session.clause), title=_clause_title(policy, view.clauses, session.clause))
        screen.pane("clause-line").show([_clause_line(policy, view.clauses, session.clause)])
        verdict = screen.pane("verdict")
        verdict.hint = _verdict_hint(view)
        verdict.show(verdict_rows(policy, view), title="Verdict")
        screen.pane("verdict-line").show([verdict_line(policy, view)])

    def _show_end(self) -> None:
        session, screen = self.screen.session, self.screen
        end = END[session.work.is_triage]
        if session.phase == "empty":
            words = [Paragraph(end.empty, "strong"), Paragraph(""), Paragraph(end.begin, told=True)]
        else:
            words = [
                Paragraph(f"{DONE} {end.done.format(session.progress.total)}", "done"),
                Paragraph(""),
                Paragraph(
                    "{move.previous} goes back to the last one, {undo} takes your last act back, {back} goes back.", told=True
                ),
                Paragraph(end.more, told=True),
            ]
        screen.pane("response").show(words, title="Done" if session.phase == "finished" else "Nothing to label")
        for name in ("prompt", "decide", "clauses", "verdict", "outcome-line", "clause-line", "verdict-line"):
            screen.pane(name).show([], title="")

    # Lines

    def _line(self, name: str) -> SidedLine:
        return self.screen.query_one(f"#{name}", SidedLine)

    def _where(self) -> Content:
        session = self.screen.session
        view = session.view
        if view is None:
            return styled(("Labelling", "bold"), f" · {session.progress.done} of {session.progress.total} done")
        number = (f"item {session.number} of {session.progress.total}", "bold")
        parts: list[str | tuple[str, str]] = [] if self.screen.is_narrow else [("Labelling", "bold"), " · "]
        parts += [number, f" · {shortened(view.item.prompt.population, 32)}"]
        own = view.own
        signs = [
            (own.flagged, "flagged"),
            (bool(own.note), "note"),
            (session.low_confidence, "low confidence"),
            (bool(own.contested), f"intent contested: {own.contested}"),
            (own.undecided, "cannot decide"),
            (own.skipped and own.label is None, "skipped"),
        ]
        parts += [(f" · {word}", "$differs") for holds, word in signs if holds]
        return styled(*parts)

    def _who(self) -> Content:
        session = self.screen.session
        mode = session.view.mode if session.view is not None else ""
        person = shortened(session.annotator.name, 20)
        policy = f"{'' if self.screen.is_narrow else 'policy '}v{shortened(session.policy.version, 10)}"
        lead: list[str | tuple[str, str]] = [("triage", "$differs bold"), " · "] if session.work.is_triage else []
        lead += [(mode, "bold"), " · "] if mode else []
        return styled(*lead, f"{person} · {policy} · ", MARKS[self._mark])

    def _quiet(self, cells: int) -> Content:
        if self._message is not None:
            return styled(self._message)
        session, bench = self.screen.session, self.screen.bench
        said = quiet_line.parts(
            left=session.progress.left,
            pace=session.pace,
            sitting=bench.sitting,
            break_minutes=bench.settings.break_minutes,
            standing=self.standing,
            population=session.view.item.prompt.population if session.view is not None else "",
        )
        kept = [IN_NO_RATE] if session.work.is_triage else []
        return styled((quiet_line.fitting([*kept, *said], cells), "$quiet"))

    def _last(self) -> Content:
        last = self.screen.session.last
        if last is None:
            return styled((self.screen.keyed("{undo} undo"), "$quiet"))
        return styled(
            ("last: ", "$quiet"), _act_words(self.screen.session.policy, last), (self.screen.keyed(" · {undo} undo"), "$quiet")
        )


def _decide_title(session: LabellingSession, own: Event | None) -> str:
    if session.why_again:
        return f"Decide again · {session.why_again}"
    return "Decide" if own is None else "Decide · a digit changes your label"


def _act_words(policy: Policy, event: Event) -> str:
    """``ada12 → 2 saved``: never more of the text than the start of its id."""
    item = visible_line(event.item_id[:5])
    outcome = policy.outcome(event.outcome) if event.outcome else None
    if event.kind == "label" and outcome is not None:
        return f"{item} → {outcome.key}{severity_words(event)} saved"
    if event.kind == "flag":
        return f"{item} flagged" if event.body.get("on") else f"{item} flag taken away"
    return f"{item} {ACTS.get(event.kind, event.kind)}"


def _clause_rows(clauses: tuple[Clause, ...], cited: str | None) -> list[Paragraph]:
    rows: list[Paragraph] = []
    # The cited clause first: it is the one in question.
    for clause in sorted(clauses, key=lambda clause: clause.id != cited):
        mark = f"  {OWN} cited" if clause.id == cited else ""
        text = Paragraph(reflowed(clause.text), markdown=True)
        rows += [Paragraph(f"{clause.id}  {clause.title}{mark}", "strong"), text, Paragraph("")]
    return rows[:-1] or [Paragraph("no clause speaks to this item; {policy.show} shows them all", "dim", told=True)]


def _clause_title(policy: Policy, clauses: tuple[Clause, ...], cited: str | None) -> str:
    clause = policy.clause(cited) if cited else None
    if clause is not None:
        return f"Clause {clause.id} cited · {clause.title}"
    return f"Clauses · {len(clauses)}, most specific first" if clauses else "Clauses"


def _clause_line(policy: Policy, clauses: tuple[Clause, ...], cited: str | None) -> Paragraph:
    clause = policy.clause(cited) if cited else next(iter(clauses), None)
    if clause is None:
        return Paragraph("{policy.show} policy", "dim", told=True)
    return Paragraph(f"{clause.id}{' cited' if cited else ''}: {clause.title} · {{policy.show}} more", "dim", told=True)


def _verdict_hint(view: ItemView) -> str:
    if view.mode == "blind":
        return "{label.confirm} {label.overrule} after the reveal"
    if view.verdict is None or view.verdict.outcome is None:
        return ""
    return (
        "{label.confirm} confirm · {label.overrule} overrule" if view.own.label is None else "{label.keep} keeps · digit changes"
    )
