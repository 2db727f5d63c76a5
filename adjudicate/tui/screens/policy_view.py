"""How the policy screen shows where its reader is: which words go into which pane. Changes nothing in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudicate.core.text import shortened
from adjudicate.tui.theme import DIFFERS, HARM
from adjudicate.tui.widgets import policy_rows
from adjudicate.tui.widgets.diff_view import DiffView
from adjudicate.tui.widgets.line_view import Paragraph
from adjudicate.tui.widgets.status_line import SidedLine, styled

if TYPE_CHECKING:
    from adjudicate.tui.screens.policy import PolicyScreen
    from adjudicate.tui.screens.policy_reader import PolicyReader

COUNTED = "counting …"


class PolicyView:
    """The words on the policy screen."""

    def __init__(self, screen: PolicyScreen, reader: PolicyReader) -> None:
        self._screen = screen
        self._reader = reader
        self._has_refused = False

    def show_choice(self) -> None:
        """The list with what is chosen in it, and its text."""
        self.show_clauses()
        self._show_chosen()

    def show(self) -> None:
        """Everything."""
        self._show_status()
        if self._reader.book is None:
            for name, title in zip(self._screen.PANES, self._screen.PANE_TITLES, strict=True):
                self._screen.pane(name).show([Paragraph(COUNTED, "dim")], title=title)
            return
        self.show_choice()
        self._show_versions()

    def _show_status(self) -> None:
        policy, compared = self._screen.bench.policy, self._reader.compared
        compared_with = f" {DIFFERS} {compared.version}" if compared is not None else ""
        self._screen.query_one("#status", SidedLine).show(
            styled(("Policy", "bold"), f" · {shortened(policy.title, 120)}"),
            styled(f"{shortened(policy.id, 24)} v{shortened(policy.version, 10)}{compared_with}"),
        )

    def show_clauses(self) -> None:
        """The list, in columns for the width it has."""
        reader, pane = self._reader, self._screen.pane("clauses")
        width = max((pane.size.width or self._screen.app.size.width // 2) - 2, 30)
        rows = [
            policy_rows.entry_row(
                entry,
                reader.use(entry),
                policy_rows.changes_of(entry, reader.against),
                chosen=place == reader.selected,
                width=width,
            )
            for place, entry in enumerate(reader.entries)
        ]
        searched = f" · {len(rows)} with “{' '.join(reader.words)}”" if reader.words else ""
        listed = rows or [Paragraph("    nothing found", "dim")]
        pane.show([policy_rows.heading_row(width), *listed], title=f"Clauses{searched}")
        pane.keep_in_sight(reader.selected + 1 if reader.selected else 0)

    def _show_chosen(self) -> None:
        text, unclear, reader = self._screen.query_one("#text", DiffView), self._screen.pane("unclear"), self._reader
        entry = reader.chosen
        if entry is None:
            text.show([], title="Text")
            unclear.show([], title="Unclear")
            return
        text.marks = reader.against is not None
        rows = list(policy_rows.clause_rows(entry, reader.use(entry), reader.against))
        text.show(rows, title=f"{entry.name} {entry.heading}".strip())
        where, listed = reader.unclear()
        title = f"Unclear · {len(listed)} {where} · for the next version"
        unclear.show(list(policy_rows.unclear_rows(listed)), title=title)

    def _show_versions(self) -> None:
        pane = self._screen.pane("versions")
        versions, version = self._reader.versions, self._reader.version
        pane.show(policy_rows.version_rows(versions, chosen=version), title=f"Versions · {len(versions)}")
        pane.keep_in_sight(version + 1 if version else 0)

    # The line below

    def say(self, words: str) -> None:
        """Say what is going on."""
        self._line(words, "$quiet")

    def refuse(self, words: str) -> None:
        """Say why something was not done."""
        self._line(f"{HARM} {words}", "$differs bold")

    def forget_refusal(self) -> None:
        """Another key was pressed: why the one before did nothing is not said any longer."""
        if self._has_refused:
            self.say("")

    def _line(self, words: str, style: str) -> None:
        self._has_refused = words.startswith(HARM)
        self._screen.query_one("#said", SidedLine).show(styled((words, style)), styled(""))

    def show_problem(self, problem: str) -> None:
        """All that is wrong with a file can be long: the text pane has it until something is chosen again."""
        first, *rest = problem.split("\n")
        self.refuse(f"{first}{' · all of it beside' if rest else ''}")
        if rest:
            text = self._screen.query_one("#text", DiffView)
            text.marks = False
            text.show([Paragraph(line, "harm" if line == first else "") for line in (first, *rest)], title="Cannot be adopted")
            self._screen.activate(self._screen.PANES.index("text"))
