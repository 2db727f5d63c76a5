"""The written policy: every clause, searched with `/`; Enter cites one for the label being made."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input

from adjudicate.core.policy import Clause, Policy
from adjudicate.core.text import shortened
from adjudicate.tui.keys import bindings_for
from adjudicate.tui.screens.dialog import Dialog
from adjudicate.tui.theme import CHOSEN, DONE, QUIET
from adjudicate.tui.widgets.asking_field import SEARCH, AskingField
from adjudicate.tui.widgets.key_bar import KeyBar
from adjudicate.tui.widgets.line_view import LineView, Look, Paragraph
from adjudicate.tui.widgets.policy_text import hanging, reflowed

OUTCOMES = "Outcomes"
LIST = 44
"""Cells of the list before it has its size."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the list."""

    heading: str
    text: str
    clause: str | None
    """None for what cannot be cited: the outcomes."""
    fits: bool
    """Whether it matters for the item on screen."""


class PolicyDialog(Dialog[str]):
    """Returns the id of the clause to cite, or None."""

    PLACE = "policy"
    BINDINGS = bindings_for("policy")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    DEFAULT_CSS = """
    PolicyDialog {
        #policy-columns { width: 100%; height: 1fr; }
        LineView { background: $surface; height: 100%; }
        #clauses-list { width: 46; }
        #clause-text { width: 1fr; border: round $focus; }
        &.-narrow #policy-columns { layout: vertical; }
        &.-narrow #clauses-list { width: 100%; height: 40%; }
        &.-narrow #clause-text { width: 100%; height: 60%; }
        KeyBar { dock: none; width: 100%; }
    }
    """

    def __init__(
        self, policy: Policy, fitting: tuple[Clause, ...], *, cited: str | None, can_cite: bool, searching: bool = False
    ) -> None:
        super().__init__()
        self.policy = policy
        self.cited = cited
        self.can_cite = can_cite
        self.searching = searching
        self._entries = _entries(policy, {clause.id for clause in fitting})
        self._found = list(self._entries)
        self._words = ""
        wanted = cited or (fitting[0].id if fitting else None)
        self._selected = next((place for place, entry in enumerate(self._found) if wanted and entry.clause == wanted), 0)

    def compose(self) -> ComposeResult:
        """A list, the text of the chosen clause, and a search field."""
        with Horizontal(id="policy-columns"):
            yield LineView(id="clauses-list", hint="{read.down} {read.up} choose · {policy.search} search")
            yield LineView(id="clause-text")
        yield AskingField(id="search-words")
        yield KeyBar()

    def on_mount(self) -> None:
        """Fill both panes."""
        if not self.can_cite:
            self.query_one(KeyBar).grey({"policy.cite"})
        self._show()
        if self.searching:
            self.action_search()

    def on_resize(self) -> None:
        """Headings are cut at the width of the list."""
        self.call_after_refresh(self._show)

    @property
    def _field(self) -> AskingField:
        return self.query_one("#search-words", AskingField)

    def action_search(self) -> None:
        """Type words to look for."""
        self._field.ask(SEARCH, self._words)
        self.query_one(KeyBar).tell(SEARCH.keys)

    def _stop_asking(self) -> None:
        self._field.leave()
        self.query_one(KeyBar).tell("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search while typing."""
        event.stop()
        self._search(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Back to the list, where Enter cites."""
        event.stop()
        self._stop_asking()

    def _search(self, words: str) -> None:
        """Keep the clauses that hold every word."""
        self._words = words
        wanted = words.casefold().split()
        self._found = [
            entry for entry in self._entries if all(word in f"{entry.heading}\n{entry.text}".casefold() for word in wanted)
        ]
        self._selected = 0
        self._show()

    def action_line(self, step: int) -> None:
        """Choose the next or previous clause."""
        self._selected = max(min(self._selected + step, len(self._found) - 1), 0)
        self._show()

    def action_page(self, direction: int) -> None:
        """Scroll the text."""
        self.query_one("#clause-text", LineView).scroll_page(direction)

    def action_end(self, direction: int) -> None:
        """To the first or last clause."""
        self.action_line(direction * len(self._entries))

    def action_cite(self) -> None:
        """Return the chosen clause."""
        if self.can_cite and self._found and self._found[self._selected].clause is not None:
            self.dismiss(self._found[self._selected].clause)

    def action_close(self) -> None:
        """From the search field to all clauses, from the list back."""
        if self._field.question is not None:
            self._stop_asking()
            self._search("")
        else:
            self.dismiss(None)

    def _show(self) -> None:
        rows = [self._row(entry, chosen=place == self._selected) for place, entry in enumerate(self._found)]
        clauses = self.query_one("#clauses-list", LineView)
        title = f"{len(rows)} with “{self._words.strip()}”" if self._words.strip() else self._title()
        clauses.show(rows or [Paragraph("nothing found", "dim")], title=title)
        clauses.keep_in_sight(self._selected)
        chosen = self._found[self._selected] if self._found else None
        text = self.query_one("#clause-text", LineView)
        text.show(_text_rows(chosen) if chosen else [], title=chosen.heading if chosen else "")

    def _title(self) -> str:
        """Which policy; and what the sign before a row means, where there is one."""
        version = f"v{shortened(self.policy.version, 10)}"
        if all(entry.fits for entry in self._entries):
            return f"Policy {shortened(self.policy.id, 30)} {version}"
        return f"Policy {version} ({QUIET} not for this item)"

    def _row(self, entry: Entry, *, chosen: bool) -> Paragraph:
        cited = f"  {DONE} cited" if entry.clause is not None and entry.clause == self.cited else ""
        look: Look = "selected" if chosen else ("" if entry.fits else "dim")
        room = max((self.query_one("#clauses-list", LineView).size.width or LIST) - len(cited) - 4, 20)
        mark = " " if entry.fits else QUIET
        words = f"{CHOSEN if chosen else mark} {shortened(entry.heading, room)}{cited}"
        return Paragraph(words, look, click=f"line({self._found.index(entry) - self._selected})")


def _text_rows(entry: Entry) -> list[Paragraph]:
    return hanging(entry.text) if entry.heading == OUTCOMES else [Paragraph(reflowed(entry.text), markdown=True)]


def _entries(policy: Policy, fitting: set[str]) -> list[Entry]:
    outcomes = [f"{outcome.key}  {outcome.title}\n   {outcome.meaning}" for outcome in policy.outcomes]
    grades = [f"severity {grade.id}  {grade.title}\n   {grade.meaning}" for grade in policy.severities]
    entries = [Entry(OUTCOMES, "\n\n".join([*outcomes, *grades]), None, fits=True)]
    if policy.preamble.strip():
        entries.append(Entry("About this policy", policy.preamble.strip(), None, fits=True))
    return entries + [
        Entry(f"{clause.id}  {clause.title}", clause.text, clause.id, fits=not fitting or clause.id in fitting)
        for clause in policy.clauses
    ]
